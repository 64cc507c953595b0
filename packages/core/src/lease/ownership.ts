// A partition from the beginning of a term to its release.

import { after, earliest, type Instant, latest, never } from '../time/instant.ts';
import { type Batch, waitForRoom } from './batch.ts';
import { doubtOf } from './doubt.ts';
import { coveredToken, isCovered } from './floor.ts';
import { canReceive, mayBegin, noteHanded } from './limit.ts';
import { abstainThresholds, refusedShare } from './pauses.ts';
import { mayAbstain } from './placement.ts';
import { following, noneText, ownershipText, partitionName } from './records.ts';
import { validOwn } from './session.ts';
import {
  type MemberState,
  nextId,
  type OwnSession,
  type Partition,
  type Session,
  type Shown,
} from './state.ts';
import { mended, trouble } from './trouble.ts';

/** How long a member does not claim a partition that it could not release, in T. */
const mutedThresholds = 8;

/** The number of terms that begin in one wake, so that the event loop keeps its turns. */
const begunMax = 256;

/** Ends a term at once. */
export function fence(
  state: MemberState,
  partition: Partition,
  reason: 'expired' | 'superseded',
): void {
  if (state.led.delete(partition.index))
    state.outputs.push({ kind: 'lost', partition: partition.index, reason });
  partition.stage = 'idle';
  state.todo.add(partition.index);
}

/** Takes the end of the work of a term: in order, given up, or with a term that the host has ended. */
export function drained(
  state: MemberState,
  partition: Partition,
  token: bigint,
  how: 'drained' | 'fenced' | 'over',
): void {
  const { rules, config, now, reportedUntil } = state;
  // However the term has ended meanwhile, work that was given up may still run (M5).
  if (how === 'fenced') partition.silentUntil = rules.silentUntil(reportedUntil, now);
  const { stage } = partition;
  if ((stage !== 'draining' && stage !== 'leading') || partition.token !== token) return;
  state.led.delete(partition.index);
  partition.isLost = how !== 'drained';
  // A host that ends every term must not cause a request in every turn.
  if (how === 'over') partition.retryAt = after(now, refusedShare * config.thresholdMs);
  if (how === 'drained') state.outputs.push({ kind: 'released', partition: partition.index });
  if (partition.isResigned) abstain(state, partition, abstainThresholds * config.thresholdMs);
  partition.isResigned = false;
  release(state, partition);
}

/** Gives up a partition, and does not claim it for a while. */
export function resign(state: MemberState, partition: Partition, abstainMs: number): void {
  abstain(state, partition, Math.max(abstainMs, abstainThresholds * state.config.thresholdMs));
  const { stage } = partition;
  partition.isResigned ||= stage === 'leading' || stage === 'draining';
  if (stage === 'leading') drain(state, partition);
  state.todo.add(partition.index);
}

function abstain({ now }: MemberState, partition: Partition, ms: number): void {
  partition.abstainUntil = latest(partition.abstainUntil, after(now, ms));
}

/** Lets the work of a term end in order. */
export function drain(state: MemberState, partition: Partition): void {
  partition.stage = 'draining';
  state.outputs.push({ kind: 'drain', partition: partition.index, token: partition.token });
  if (state.rules.mayRelease(false)) state.todo.add(partition.index);
}

function release(state: MemberState, partition: Partition): void {
  partition.stage = 'releasing';
  partition.releasingSince = never;
  state.todo.add(partition.index);
}

/** Whether this member would lead the partition. */
function isWanted(state: MemberState, { isCandidate, who, abstainUntil }: Partition): boolean {
  const { own, now, phase } = state;
  return (
    isCandidate &&
    phase === 'running' &&
    who !== 'nobody' &&
    now >= abstainUntil &&
    own?.isEnding !== true
  );
}

/** Looks at a partition that this member leads, drains or releases. Returns when to look again. */
export function holding(state: MemberState, partition: Partition, batch: Batch): Instant {
  if (partition.stage === 'leading') {
    const { who } = partition;
    const isPassedOn = who === 'placement' && receiver(state, partition, true) !== undefined;
    if (!isWanted(state, partition) || isPassedOn) drain(state, partition);
    return never;
  }
  if (partition.stage === 'draining' && !state.rules.mayRelease(false)) return never;
  return writeRelease(state, partition, batch);
}

/** Begins a term by a record that names the own session, or releases it again. */
export function beginOrRelease(
  state: MemberState,
  own: OwnSession,
  partition: Partition,
  batch: Batch,
): Instant {
  const { record, ledToken, silentUntil, index } = partition;
  // Its session was not seen in effect yet. That it is makes this member look at all that it owns.
  if (!own.isValid || record === undefined || record.kind === 'none') return never;
  const { rules, now, wallMicros } = state;
  const doubtUntil = doubtOf(state, partition);
  if (now < doubtUntil) return doubtUntil;
  partition.token = record.token;
  partition.isLost = false;
  const begins =
    isWanted(state, partition) &&
    mayBegin(state) &&
    now >= silentUntil &&
    rules.begins(record.token, ledToken) &&
    rules.leavesRoom(record.token, wallMicros) &&
    rules.mayRestOn(record.seen, own.sureFrom) &&
    !(state.floor.isFailing && isUncovered(state, partition));
  if (!begins) {
    release(state, partition);
    return writeRelease(state, partition, batch);
  }
  // The next exchange shows it again.
  if (!partition.isSure || isUncovered(state, partition)) return never;
  if (state.begun >= begunMax) return now;
  state.begun += 1;
  partition.stage = 'leading';
  // A resignation is over with its term, also if that ended otherwise.
  partition.isResigned = false;
  partition.ledToken = record.token;
  state.wants.delete(index);
  state.led.add(index);
  state.outputs.push({ kind: 'granted', partition: index, token: record.token });
  // Somebody may want it already.
  state.todo.add(index);
  return never;
}

/**
 * Returns whether the second place lacks the token of an own claim; if so, asks for it. A member that hands
 * a partition over has raised the place before (T1).
 */
function isUncovered(state: MemberState, partition: Partition): boolean {
  const { record } = partition;
  if (record?.kind !== 'hold' || state.rules.beginsUncovered()) return false;
  return !isCovered(state, partition, record.token);
}

/** Writes a release, until it is seen in effect. */
function writeRelease(state: MemberState, partition: Partition, batch: Batch): Instant {
  const { rules, config, now, own } = state;
  const { index, record, text, releasingSince, silentUntil, retryAt } = partition;
  if (record === undefined || record.kind === 'none') return never;
  const at = latest(retryAt, silentUntil, doubtOf(state, partition));
  if (now < at) return at;
  const since = latest(earliest(releasingSince, now), silentUntil, doubtOf(state, partition));
  const endAt = after(since, rules.releaseMs(config.thresholdMs));
  // No other member could ever claim it, so the session ends for it (M9).
  if (now >= endAt && own !== undefined) return giveUp(state, own, partition);
  if (batch.isFull) return waitForRoom(state, partition, endAt);
  const heir = heirOf(state, partition);
  if (heir !== undefined && 'askAt' in heir) return earliest(endAt, heir.askAt);
  const released = releaseOf(state, partition, record, heir);
  noteHanded(state, index, heir?.to);
  partition.releasingSince = earliest(releasingSince, now);
  batch.add(
    { name: partitionName(index), expected: text, text: released, isAwaited: true },
    partition,
  );
  return endAt;
}

/** Returns the record of a release: to the heir, if there is one. */
function releaseOf(
  state: MemberState,
  partition: Partition,
  before: Pick<Shown, 'life' | 'version'>,
  heir: Heir | undefined,
): string {
  const { index, token, seenToken, isLost } = partition;
  const { rules, wallMicros } = state;
  const kept = rules.releasedToken(token, rules.leavesRoom(token, wallMicros), seenToken);
  // A member that hands it over because another one asks for it may take it back at any time.
  const isAsked = heir !== undefined && isWanted(state, partition);
  const id = nextId(state);
  const next = {
    kind: 'release',
    ...following(before, id),
    session: heir?.to.id,
    seen: heir?.to.version ?? 0,
    token: heir?.token ?? kept,
    ...(!isAsked && { from: state.config.incarnation }),
    ...(isLost && { isLost }),
  } as const;
  return ownershipText(index, next, id);
}

/** The session that gets a partition, and the token of its term. */
interface Heir {
  readonly to: Session;
  readonly token: bigint;
}

/**
 * Returns who gets the partition, in which term. While the second place lacks its token: when to ask again,
 * because another member may get it then, or none.
 */
function heirOf(
  state: MemberState,
  partition: Partition,
): Heir | { readonly askAt: Instant } | undefined {
  const mustWant = !isLeaving(state, partition);
  const to = receiver(state, partition, mustWant);
  if (to === undefined) return undefined;
  const token = coveredToken(state, partition, state.rules.handedToken);
  if (token !== undefined) return { to, token };
  // While the second place fails, the partition is released to no session.
  if (state.floor.isFailing) return undefined;
  const { abstainUntil } = partition;
  const askAt = freshUntil(state, to);
  return { askAt: state.now < abstainUntil ? earliest(askAt, abstainUntil) : askAt };
}

/** Whether the receiver of a release need not have asked for it (M8). */
function isLeaving({ phase, own, now }: MemberState, { abstainUntil }: Partition): boolean {
  return phase === 'closing' || own?.isEnding === true || now < abstainUntil;
}

function giveUp(state: MemberState, own: OwnSession, partition: Partition): Instant {
  if (own.isEnding) return never;
  own.isEnding = true;
  abstain(state, partition, mutedThresholds * state.config.thresholdMs);
  for (const index of state.led) state.todo.add(index);
  trouble(state, 'partition', {
    code: 'misconfigured-backend',
    message: `partition ${partition.index} cannot be written, though the session of this member can: it gives up all partitions; check the rights of this member`,
  });
  return never;
}

/**
 * Returns the session of another member to which the partition may be released (M8): that of the
 * preferred member, if its record is new enough and, unless this member leaves, asks for it.
 */
function receiver(
  state: MemberState,
  partition: Partition,
  mustWant: boolean,
): Session | undefined {
  const { now, doubtUntil, balance } = state;
  const { index, who } = partition;
  if (now < doubtUntil || who === 'nobody') return undefined;
  const preferred = mustWant ? balance.at(index, 0) : nextInLine(state, partition);
  const session = preferred === undefined ? undefined : state.sessionOf.get(preferred);
  if (session === undefined || session.state !== 'live' || session.isLapsed) return undefined;
  const isFresh = now < freshUntil(state, session);
  const isAsking = !mustWant || session.wants.has(index);
  const isReceiver = isFresh && isAsking && session.isStanding;
  return isReceiver && canReceive(state, session, index) ? session : undefined;
}

/** Returns until when the record of a session is new enough for a release to it (M8). */
function freshUntil({ rules }: MemberState, { arrivedAt, thresholdMs }: Session): Instant {
  return after(arrivedAt, rules.freshMs(thresholdMs));
}

/**
 * Returns the preferred one of the other members. Those that have just given up the partition are passed
 * over: two that have both resigned would pass it on to each other for as long as they abstain. So are
 * those at their limit (M13).
 */
function nextInLine(state: MemberState, partition: Partition): string | undefined {
  const { balance, config } = state;
  for (let rank = 0; ; rank += 1) {
    const member = balance.at(partition.index, rank);
    if (member === undefined) return undefined;
    if (member === config.incarnation || mayAbstain(state, partition, member)) continue;
    const session = state.sessionOf.get(member);
    if (session === undefined || canReceive(state, session, partition.index)) return member;
  }
}

/** A candidate creates the row of a partition: a new life, in which no session owns it. */
export function createRow(state: MemberState, partition: Partition, batch: Batch): Instant {
  const { index, retryAt, isCandidate } = partition;
  const { pin, phase } = state;
  state.wants.delete(index);
  if (!isCandidate || pin !== 'agrees' || phase !== 'running') return never;
  const at = latest(retryAt, doubtOf(state, partition));
  if (state.now < at) return at;
  if (batch.isFull) return waitForRoom(state, partition);
  const text = noneText(index, nextId(state));
  batch.add({ name: partitionName(index), expected: null, text }, partition);
  return never;
}

/** Ends the trouble about a partition once the session that ended for it is over. */
export function mendPartition(state: MemberState): void {
  if (state.own?.isEnding !== true) mended(state, 'partition');
}

/** Returns the own session, if the record in effect names it. */
export function ownOf(state: MemberState, { owner, record }: Partition): OwnSession | undefined {
  return record === undefined || record.kind === 'none' ? undefined : validOwn(state, owner);
}

/**
 * Returns whether the term is over that this member has in the partition, and every one that a claim
 * begins which is on its way. Later terms do not count.
 */
export function endOfTerm(state: MemberState, index: number): () => boolean {
  const partition = state.partitions[index];
  if (partition === undefined) return () => true;
  const { token } = partition;
  const flight = state.flight?.about.includes(partition) === true ? state.flight : undefined;
  return () => {
    if (state.phase === 'closed') return true;
    if (flight !== undefined && state.flight === flight) return false;
    if (partition.stage !== 'idle')
      return partition.stage === 'leading' && partition.token !== token;
    return ownOf(state, partition) === undefined;
  };
}
