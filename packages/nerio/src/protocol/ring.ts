// Decides which member tries to lead (N9), so that members do not compete: candidates form a ring,
// and the first live member that stands as a candidate is the weak leader. That proves nothing; it
// only decides which member tries. Each member pings its closest live predecessor, and the dead
// ones between. The answer names the first standing member up to that predecessor, so one neighbour
// is enough to know the first of the ring.
import { beaten, newPulse } from '@leadership/core/internal/engine';
import { includes, type Members, only } from './members.ts';
import type { Ping, Pong, Sender } from './message.ts';
import { isMuted, mayTakePart } from './newcomer.ts';
import { isAfterInRing, placeInRing } from './ring-order.ts';
import { askedAtOf, beatsRemembered, measured } from './round-trip.ts';
import type { Peer } from './state.ts';
import {
  changeClaim,
  claimOf,
  grantOf,
  isCandidate,
  isEnding,
  isVoter,
  known,
  reply,
  type StepContext,
  send,
} from './step-context.ts';

/** The state of a member that this one does not ping. */
export const unwatched: Peer = {
  pulse: undefined,
  stands: undefined,
  lastPing: -1,
  lastPingAt: Number.NEGATIVE_INFINITY,
};

/** The index of the closest preceding candidate that is not known to be dead; −1 for none. */
function closestBefore({ state, now }: StepContext): number {
  const { electorate, index, peers } = state;
  const count = electorate.names.length;
  for (let steps = 1; steps < count; steps += 1) {
    const other = (index - steps + count) % count;
    if (!includes(electorate.candidates, other)) continue;
    const { pulse } = known(peers[other]);
    if (pulse === undefined || now < pulse.suspectAt) return other;
  }
  return -1;
}

/** Whether this member would take the partition if it were free and no preceding member stood. */
function standsHere(context: StepContext, partition: number): boolean {
  const { state, now } = context;
  const claim = claimOf(context, partition);
  if (!isCandidate(state) || isEnding(state) || !mayTakePart(context)) return false;
  if (isVoter(state) && isMuted(context)) return false;
  if (claim.leaseState.kind === 'leading') return true;
  return (
    state.campaigning &&
    claim.leaseState.kind === 'follower' &&
    now >= claim.abstainUntil &&
    now >= claim.yieldUntil
  );
}

/**
 * The first member of the partition's ring that stands and precedes this one; −1 for none. A
 * predecessor that has not answered yet counts as standing.
 */
function firstBefore(context: StepContext, partition: number, closest: number): number {
  const { electorate, index, peers } = context.state;
  const count = electorate.names.length;
  if (closest < 0 || !isAfterInRing(index, closest, partition, count)) return -1;
  const { stands } = known(peers[closest]);
  const first = stands === undefined ? closest : (stands[partition] ?? -1);
  const isNone =
    first < 0 ||
    !isAfterInRing(index, first, partition, count) ||
    (first === closest && isGoing(context, partition, first));
  return isNone ? -1 : first;
}

/**
 * Whether a member has announced that it leads only until its work has drained: then it does not
 * stand.
 */
function isGoing(context: StepContext, partition: number, index: number): boolean {
  const { isLeaving, leader } = grantOf(context, partition);
  return isLeaving && leader?.member === context.state.electorate.names[index];
}

/** Whether this member is the weak leader of the partition and should try. */
export function isWeakLeader(context: StepContext, partition: number): boolean {
  return (
    standsHere(context, partition) && firstBefore(context, partition, closestBefore(context)) < 0
  );
}

/**
 * The time until which this member leaves the partition to a live predecessor that does not stand
 * yet. If this member knows of no granted lease, the group may just have started, and others are
 * silent a little longer (N4). Otherwise the first candidate would take partitions that belong to
 * them, and hand them over later.
 */
export function leftToOthersUntil(context: StepContext, partition: number): number {
  const { rules, state, now } = context;
  const { token, leader } = known(state.grants[partition]);
  // A member that does not vote grants nothing: it learns of a lease only by the leader's
  // announcement.
  if (token > 0n || leader !== undefined) return now;
  const closest = closestBefore(context);
  const isFirst =
    closest < 0 || !isAfterInRing(state.index, closest, partition, state.electorate.names.length);
  return isFirst ? now : state.mutedUntil + rules.muteMs(state.self);
}

/** Updates the reported `stands` if they have changed. */
function updateStands(context: StepContext): void {
  const { state } = context;
  if (state.index < 0) return;
  const closest = closestBefore(context);
  let next: number[] | undefined;
  for (let partition = 0; partition < state.self.partitions; partition += 1) {
    const before = firstBefore(context, partition, closest);
    const first = before >= 0 || !standsHere(context, partition) ? before : state.index;
    if (first === state.stands[partition]) continue;
    next ??= state.stands.slice();
    next[partition] = first;
  }
  if (next) state.stands = next;
}

/** Notifies the host if the weak leader has changed (N14). */
export function emitWeakLeaderChanges(context: StepContext): void {
  const { state, outputs, before } = context;
  if (state.stands === before.stands) return;
  state.stands.forEach((index, partition) => {
    if (claimOf(context, partition).lastWeak === index) return;
    changeClaim(context, partition).lastWeak = index;
    outputs.push({ kind: 'weak', partition, index });
  });
}

/** Answers a ping. */
export function receivePing(
  context: StepContext,
  from: Sender,
  index: number,
  { beat }: Ping,
): void {
  const { state, now } = context;
  const { pulse, stands } = known(state.peers[index]);
  changePeer(context, index, { pulse, stands, lastPing: beat, lastPingAt: now });
  if (context.rules.isSignOfLife('ping')) noteLife(context, index, stands);
  updateStands(context);
  reply(context, from, { kind: 'pong', beat, isUnsolicited: false, stands: state.stands });
}

/**
 * Sends changed `stands` to members that still ping this one, so that a successor need not wait for
 * its next ping.
 */
export function sendStands(context: StepContext): void {
  const { state, now, before } = context;
  updateStands(context);
  if (state.stands === before.stands) return;
  state.peers.forEach(({ lastPing, lastPingAt }, index) => {
    const isListening = now < lastPingAt + 2 * state.self.pingMs;
    if (isListening)
      send(context, only(index), {
        kind: 'pong',
        beat: lastPing,
        isUnsolicited: true,
        stands: state.stands,
      });
  });
}

/**
 * Receives a pong. It counts as a sign of life if it names a recent ping, because then the peer
 * receives this member's messages. A late one still measures the round trip.
 */
export function receivePong(context: StepContext, index: number, pong: Pong): void {
  const { state, now, rules } = context;
  if (pong.beat > state.beat || pong.beat < state.beat - recentBeats) return;
  const lastPingAt = askedAtOf(state.beatsAt, state.beat, pong.beat);
  if (lastPingAt !== undefined && !pong.isUnsolicited)
    state.roundTrip = measured(state.roundTrip, now - lastPingAt, state.self);
  if (rules.isSignOfLife('pong')) noteLife(context, index, pong.stands);
  context.isRingStale = true;
}

/**
 * An answer is a sign of life until this number of later pings was sent: round trips may be longer
 * than the ping interval.
 */
const recentBeats = 3;

function noteLife(
  context: StepContext,
  index: number,
  stands: readonly number[] | undefined,
): void {
  const { state, now } = context;
  const { pulse, lastPing, lastPingAt } = known(state.peers[index]);
  if (pulse === undefined) return;
  changePeer(context, index, {
    pulse: beaten(pulse, now, state.self.pingMs),
    stands,
    lastPing,
    lastPingAt,
  });
  state.ringDueAt = now;
}

function changePeer({ state, before }: StepContext, index: number, peer: Peer): void {
  if (state.peers === before.peers) state.peers = before.peers.slice();
  (state.peers as Peer[])[index] = peer;
}

/**
 * Sends pings at the interval, or at once if the closest predecessor has died. Returns the next
 * time.
 */
export function keepRing(context: StepContext): number {
  const { state, now } = context;
  if (now < state.ringDueAt) return state.ringDueAt;
  const closest = closestBefore(context);
  const isNew = closest >= 0 && state.peers[closest]?.pulse === undefined;
  if (now >= state.pingAt || isNew) ping(context);
  const suspectAt = closest < 0 ? undefined : state.peers[closest]?.pulse?.suspectAt;
  state.ringDueAt = Math.min(state.pingAt, suspectAt ?? Number.POSITIVE_INFINITY);
  return state.ringDueAt;
}

function ping(context: StepContext): void {
  const { state, now } = context;
  const to = state.index < 0 ? state.electorate.all : watch(context);
  state.beat += 1;
  state.beatsAt = [now, ...state.beatsAt.slice(0, beatsRemembered - 1)];
  state.pingAt = now + state.self.pingMs * (state.index < 0 ? outsidePace : 1);
  if (to !== 0) send(context, to, { kind: 'ping', beat: state.beat });
  context.isRingStale = true;
}

/**
 * A member outside the epoch pings only to learn of a later epoch, at a multiple of the usual
 * interval.
 */
const outsidePace = 12;

/** Selects the members to ping: the closest live predecessor and the dead ones between. */
function watch(context: StepContext): Members {
  const { state, now } = context;
  const { electorate, index, self } = state;
  const closest = closestBefore(context);
  const count = electorate.names.length;
  const far = closest < 0 ? count - 1 : placeInRing(index - closest, 0, count);
  let watched: Members = 0;
  for (let steps = 1; steps < count; steps += 1) {
    const other = (index - steps + count) % count;
    const isWatched = steps <= far && includes(electorate.candidates, other);
    if (isWatched) watched |= only(other);
    const { pulse, lastPing, lastPingAt } = known(state.peers[other]);
    if (isWatched === (pulse !== undefined)) continue;
    changePeer(context, other, {
      pulse: isWatched ? newPulse(now, self.pingMs) : undefined,
      stands: undefined,
      lastPing,
      lastPingAt,
    });
  }
  return watched;
}
