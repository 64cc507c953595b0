// One member of the Nerio protocol, as a pure machine. A member may be voter, candidate and leader
// at once, for all partitions:
//
//   voter      free ──request──▶ granted to p until F ──release, F passed──▶ free, or granted to a waiting candidate
//   candidate  follower ──weak leader, own grant free──▶ contest ──quorum──▶ leading ──revoked──▶ revoking ──drained──▶ follower
//
// A leader believes until E, counted from before its request. A voter keeps its grant until F,
// counted from the grant, for a longer time by any clock. So a member that believes has a quorum of
// grants, and two quorums share a voter.

import type { Instant } from '@leadership/core/adapter';
import type { Moment } from '@leadership/core/internal';
import { hearOk, hearRefused } from './asking.ts';
import { create } from './creating.ts';
import { hearFromAnother } from './epochs.ts';
import { hearAsk, hearRelease, serveQueue } from './granting.ts';
import { expire, isRenewalDue, noteDrained, noteFenced, tend } from './holding.ts';
import type { NerioInput } from './input.ts';
import { hearLearn, hearLearned, learn, meet } from './learning.ts';
import type { Item, Sender } from './message.ts';
import { admit, noteListening, noteOtherPin, noteTried } from './newcomer.ts';
import type { Step } from './output.ts';
import { isPlausible } from './plausible.ts';
import { hearPing, hearPong, keepRing, tellStands, tellWeak } from './ring.ts';
import type { NerioRules } from './rules.ts';
import { giveUp, hearWant, seekShare } from './sharing.ts';
import type { MemberState } from './state.ts';
import {
  hearAccepted,
  hearBindable,
  hearOutranked,
  hearWedged,
  pursue,
  reconfigure,
} from './succeeding.ts';
import { hearRunning } from './succession.ts';
import { beginTurn, changeClaim, type Turn } from './turn.ts';
import { answerSeekers, find, hearRemainder, hearVerify, tellLeader, verify } from './verifying.ts';
import { hearAccept, hearProbe, hearWedge, wedgeWhenFree } from './wedging.ts';

/**
 * Processes one input, and everything that is due at that moment. Pure: time is an argument, and
 * effects are outputs.
 */
export function step(
  rules: NerioRules,
  state: MemberState,
  input: NerioInput,
  moment: Moment,
): Step {
  return stepAll(rules, state, [input], moment);
}

/**
 * Processes several inputs of one moment in their order, and then everything that is due. The work
 * that is due takes time in proportion to the number of partitions, so the messages of one frame
 * are processed together: a frame may hold one message for each partition.
 */
export function stepAll(
  rules: NerioRules,
  state: MemberState,
  inputs: readonly NerioInput[],
  moment: Moment,
): Step {
  const turn = beginTurn(rules, state, moment);
  const { partitions } = state.self;
  for (let partition = 0; partition < partitions; partition += 1) expire(turn, partition);
  for (const input of inputs) {
    take(turn, input);
    hearOwn(turn);
  }
  let dueAt = act(turn);
  while (turn.own !== undefined) {
    hearOwn(turn);
    dueAt = act(turn);
  }
  dueAt = Math.min(dueAt, tell(turn));
  return { state: turn.state, outputs: turn.outputs, wakeAt: wakeAt(turn, dueAt) };
}

function wakeAt({ rules, now, moment }: Turn, dueAt: number): Instant {
  return dueAt === Number.POSITIVE_INFINITY ? (dueAt as Instant) : rules.wakeAt(dueAt, now, moment);
}

function take(turn: Turn, input: NerioInput): void {
  switch (input.kind) {
    case 'wake':
      return;
    case 'heard':
      return hear(turn, input.from, input.epoch, input.item);
    case 'edict':
      return create(turn, input.partition, input.id);
    case 'verify':
      return verify(turn, input.partition, input.member, input.id);
    case 'find':
      return find(turn, input.partition, input.id, input.patienceMs);
    case 'reconfigure':
      return reconfigure(turn, input);
    default:
      return command(turn, input);
  }
}

type Command = NerioInput & {
  readonly kind: 'campaign' | 'resign' | 'drained' | 'fenced' | 'tried' | 'listening' | 'differs';
};

function command(turn: Turn, input: Command): void {
  switch (input.kind) {
    case 'campaign':
      return campaign(turn, input.on, input.partition);
    case 'resign': {
      giveUp(turn, input.partition, input.atLeastMs);
      turn.isRingStale = true;
      return;
    }
    case 'drained':
      return noteDrained(turn, input.partition);
    case 'fenced':
      return noteFenced(turn, input.partition, input.lapse);
    case 'tried':
      return noteTried(turn, input.member);
    case 'listening':
      return noteListening(turn);
    case 'differs':
      return noteOtherPin(turn, input.member);
  }
}

/** Starts or stops the campaign for one partition, or for all. */
function campaign(turn: Turn, on: boolean, only: number | undefined): void {
  if (only === undefined) turn.state.campaigning = on;
  turn.isRingStale = true;
  const partitions = only === undefined ? turn.state.claims.keys() : [only];
  for (const partition of partitions) {
    if (!isPartition(turn, partition)) continue;
    const claim = changeClaim(turn, partition);
    if (on) {
      claim.abstainUntil = claim.lapseUntil;
      claim.abstainMs = 0;
    } else if (only !== undefined) claim.abstainUntil = Number.POSITIVE_INFINITY;
  }
}

function hear(turn: Turn, from: Sender, epoch: number, item: Item): void {
  const { electorate } = turn.state;
  if (!isPlausible(turn, epoch, item)) return void turn.outputs.push({ kind: 'implausible' });
  if (item.kind === 'running') return hearRunning(turn, from, item.epoch);
  if (epoch !== electorate.number) return hearFromAnother(turn, from, epoch);
  const index = electorate.names.indexOf(from.member);
  if (index < 0) return;
  meet(turn, from, index);
  hearItem(turn, from, index, item);
}

/** Whether the group has that partition. */
function isPartition({ state }: Turn, partition: number): boolean {
  return partition >= 0 && partition < state.self.partitions;
}

function hearOwn(turn: Turn): void {
  while (turn.own !== undefined) {
    const said = turn.own;
    turn.own = undefined;
    for (const item of said) hearItem(turn, turn.state.self, turn.state.index, item);
  }
}

function hearItem(turn: Turn, from: Sender, index: number, item: Item): void {
  switch (item.kind) {
    case 'ping':
      return hearPing(turn, from, index, item);
    case 'pong':
      return hearPong(turn, index, item);
    case 'ask':
    case 'ok':
    case 'refused':
    case 'release':
    case 'want':
    case 'verify':
    case 'remainder':
      return isPartition(turn, item.partition)
        ? hearOfPartition(turn, from, index, item)
        : undefined;
    default:
      return hearSeldom(turn, from, index, item);
  }
}

type OfPartition = Extract<Item, { readonly partition: number }>;

function hearOfPartition(turn: Turn, from: Sender, index: number, item: OfPartition): void {
  switch (item.kind) {
    case 'ask':
      return hearAsk(turn, from, index, item);
    case 'ok':
      return hearOk(turn, index, item);
    case 'refused':
      return hearRefused(turn, index, item);
    case 'release':
      return hearRelease(turn, from, item);
    case 'want':
      return hearWant(turn, from, index, item);
    case 'verify':
      return hearVerify(turn, from, item);
    case 'remainder':
      return hearRemainder(turn, from, item);
  }
}

type Seldom = Exclude<Item, OfPartition | { readonly kind: 'ping' | 'pong' }>;

function hearSeldom(turn: Turn, from: Sender, index: number, item: Seldom): void {
  switch (item.kind) {
    case 'learn':
      return hearLearn(turn, from, item);
    case 'learned':
      return hearLearned(turn, from, index, item);
    case 'probe':
      return hearProbe(turn, from, item);
    case 'bindable':
      return hearBindable(turn, index, item);
    case 'wedge':
      return hearWedge(turn, from, item);
    case 'wedged':
      return hearWedged(turn, index, item);
    case 'accept':
      return hearAccept(turn, from, item);
    case 'accepted':
      return hearAccepted(turn, index, item);
    case 'outranked':
      return hearOutranked(turn, item);
    case 'running':
      return hearRunning(turn, from, item.epoch);
  }
}

/** Does everything that is due. Returns the next time at which something is. */
function act(turn: Turn): number {
  const { state } = turn;
  let dueAt = admit(turn);
  dueAt = Math.min(dueAt, keepRing(turn), seekShare(turn));
  if (state.learning !== undefined) dueAt = Math.min(dueAt, learn(turn));
  if (state.wedgeAsked !== undefined) dueAt = Math.min(dueAt, wedgeWhenFree(turn));
  if (state.wedge !== undefined || state.proposal !== undefined)
    dueAt = Math.min(dueAt, pursue(turn));
  const { partitions } = state.self;
  // When one renewal is due, all others are sent with it and stay aligned from then on: the number
  // of messages does not grow with partitions.
  let renews = false;
  for (let partition = 0; partition < partitions; partition += 1)
    renews ||= isRenewalDue(turn, partition);
  for (let partition = 0; partition < partitions; partition += 1) {
    serveQueue(turn, partition);
    dueAt = Math.min(dueAt, tend(turn, partition, renews), queueDueAt(turn, partition));
  }
  return dueAt;
}

/** The end of a lease for which requests wait. */
function queueDueAt({ state, now }: Turn, partition: number): number {
  const grant = state.grants[partition];
  if (grant === undefined || grant.queue.length === 0) return Number.POSITIVE_INFINITY;
  return Math.max(grant.until, state.mutedUntil) > now
    ? Math.max(grant.until, state.mutedUntil)
    : Number.POSITIVE_INFINITY;
}

/** Notifies the host of changes. Returns when the next one is due without any input. */
function tell(turn: Turn): number {
  let dueAt = answerSeekers(turn);
  for (let partition = 0; partition < turn.state.self.partitions; partition += 1)
    dueAt = Math.min(dueAt, tellLeader(turn, partition));
  if (turn.isRingStale) tellStands(turn);
  tellWeak(turn);
  return dueAt;
}
