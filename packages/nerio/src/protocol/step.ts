// One member of the Nerio protocol (N), as a pure machine: docs/explanation/nerio.md. Rule numbers
// such as N9: docs/reference/rules.md. A member may be voter, candidate and leader at once, for all
// partitions:
//
//   voter      free ──request──▶ granted to p until F ──release, F passed──▶ free, or granted to a waiting candidate
//   candidate  follower ──weak leader, own grant free──▶ election ──quorum──▶ leading ──revoked──▶ revoking ──drained──▶ follower
//
// A leader believes until E, counted from before its request. A voter keeps its grant until F,
// counted from the grant, for a longer time by any clock. So a member that believes has a quorum of
// grants, and two quorums share a voter.

import type { Instant } from '@leadership/core/adapter';
import type { Moment } from '@leadership/core/internal/engine';
import { create } from './creating.ts';
import {
  pursue,
  receiveAccepted,
  receiveBindable,
  receiveOutranked,
  receiveWedged,
  reconfigure,
} from './ending-epoch.ts';
import { receiveFromOtherEpoch } from './epochs.ts';
import { receiveGrantRequest, receiveRelease, serveQueue } from './granting.ts';
import { expire, isRenewalDue, noteDrained, noteFenced, tend } from './holding.ts';
import type { NerioInput } from './input.ts';
import { learn, meet, receiveLearn, receiveLearned } from './learning.ts';
import { receiveRunning } from './learning-epoch.ts';
import type { Item, Sender } from './message.ts';
import { admit, noteListening, noteOtherPin, noteTried } from './newcomer.ts';
import type { Step } from './output.ts';
import { isPlausible } from './plausible.ts';
import { emitWeakLeaderChanges, keepRing, receivePing, receivePong, sendStands } from './ring.ts';
import { receiveOk, receiveRefused } from './rounds.ts';
import type { NerioRules } from './rules.ts';
import { giveUp, receiveLeaseRequest, seekShare } from './sharing.ts';
import type { MemberState } from './state.ts';
import { beginStep, changeClaim, type StepContext } from './step-context.ts';
import {
  answerSeekers,
  emitLeaderChange,
  find,
  receiveRemainder,
  receiveVerify,
  verify,
} from './verifying.ts';
import { receiveAccept, receiveProbe, receiveWedge, wedgeWhenFree } from './wedging.ts';

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
  const context = beginStep(rules, state, moment);
  const { partitions } = state.self;
  for (let partition = 0; partition < partitions; partition += 1) expire(context, partition);
  for (const input of inputs) {
    take(context, input);
    receiveOwn(context);
  }
  let dueAt = act(context);
  while (context.own !== undefined) {
    receiveOwn(context);
    dueAt = act(context);
  }
  dueAt = Math.min(dueAt, emitChanges(context));
  return { state: context.state, outputs: context.outputs, wakeAt: wakeAt(context, dueAt) };
}

function wakeAt({ rules, now, moment }: StepContext, dueAt: number): Instant {
  return dueAt === Number.POSITIVE_INFINITY ? (dueAt as Instant) : rules.wakeAt(dueAt, now, moment);
}

function take(context: StepContext, input: NerioInput): void {
  switch (input.kind) {
    case 'wake':
      return;
    case 'received':
      return hear(context, input.from, input.epoch, input.item);
    case 'edict':
      return create(context, input.partition, input.id);
    case 'verify':
      return verify(context, input.partition, input.member, input.id);
    case 'find':
      return find(context, input.partition, input.id, input.timeoutMs);
    case 'reconfigure':
      return reconfigure(context, input);
    default:
      return command(context, input);
  }
}

type Command = NerioInput & {
  readonly kind: 'campaign' | 'resign' | 'drained' | 'fenced' | 'tried' | 'listening' | 'differs';
};

function command(context: StepContext, input: Command): void {
  switch (input.kind) {
    case 'campaign':
      return campaign(context, input.on, input.partition);
    case 'resign': {
      giveUp(context, input.partition, input.atLeastMs);
      context.isRingStale = true;
      return;
    }
    case 'drained':
      return noteDrained(context, input.partition);
    case 'fenced':
      return noteFenced(context, input.partition, input.lapse);
    case 'tried':
      return noteTried(context, input.member);
    case 'listening':
      return noteListening(context);
    case 'differs':
      return noteOtherPin(context, input.member);
  }
}

/** Starts or stops the campaign for one partition, or for all. */
function campaign(context: StepContext, on: boolean, only: number | undefined): void {
  if (only === undefined) context.state.campaigning = on;
  context.isRingStale = true;
  const partitions = only === undefined ? context.state.claims.keys() : [only];
  for (const partition of partitions) {
    if (!isPartition(context, partition)) continue;
    const claim = changeClaim(context, partition);
    if (on) {
      claim.abstainUntil = claim.lapseUntil;
      claim.abstainMs = 0;
    } else if (only !== undefined) claim.abstainUntil = Number.POSITIVE_INFINITY;
  }
}

function hear(context: StepContext, from: Sender, epoch: number, item: Item): void {
  const { electorate } = context.state;
  if (!isPlausible(context, epoch, item)) return void context.outputs.push({ kind: 'implausible' });
  if (item.kind === 'running') return receiveRunning(context, from, item.epoch);
  if (epoch !== electorate.number) return receiveFromOtherEpoch(context, from, epoch);
  const index = electorate.names.indexOf(from.member);
  if (index < 0) return;
  meet(context, from, index);
  receiveItem(context, from, index, item);
}

/** Whether the group has that partition. */
function isPartition({ state }: StepContext, partition: number): boolean {
  return partition >= 0 && partition < state.self.partitions;
}

function receiveOwn(context: StepContext): void {
  while (context.own !== undefined) {
    const said = context.own;
    context.own = undefined;
    for (const item of said) receiveItem(context, context.state.self, context.state.index, item);
  }
}

function receiveItem(context: StepContext, from: Sender, index: number, item: Item): void {
  switch (item.kind) {
    case 'ping':
      return receivePing(context, from, index, item);
    case 'pong':
      return receivePong(context, index, item);
    case 'grant-request':
    case 'ok':
    case 'refused':
    case 'release':
    case 'lease-request':
    case 'verify':
    case 'remainder':
      return isPartition(context, item.partition)
        ? receivePartitionItem(context, from, index, item)
        : undefined;
    default:
      return receiveRareItem(context, from, index, item);
  }
}

type OfPartition = Extract<Item, { readonly partition: number }>;

function receivePartitionItem(
  context: StepContext,
  from: Sender,
  index: number,
  item: OfPartition,
): void {
  switch (item.kind) {
    case 'grant-request':
      return receiveGrantRequest(context, from, index, item);
    case 'ok':
      return receiveOk(context, index, item);
    case 'refused':
      return receiveRefused(context, index, item);
    case 'release':
      return receiveRelease(context, from, item);
    case 'lease-request':
      return receiveLeaseRequest(context, from, index, item);
    case 'verify':
      return receiveVerify(context, from, item);
    case 'remainder':
      return receiveRemainder(context, from, item);
  }
}

type Seldom = Exclude<Item, OfPartition | { readonly kind: 'ping' | 'pong' }>;

function receiveRareItem(context: StepContext, from: Sender, index: number, item: Seldom): void {
  switch (item.kind) {
    case 'learn':
      return receiveLearn(context, from, item);
    case 'learned':
      return receiveLearned(context, from, index, item);
    case 'probe':
      return receiveProbe(context, from, item);
    case 'bindable':
      return receiveBindable(context, index, item);
    case 'wedge':
      return receiveWedge(context, from, item);
    case 'wedged':
      return receiveWedged(context, index, item);
    case 'accept':
      return receiveAccept(context, from, item);
    case 'accepted':
      return receiveAccepted(context, index, item);
    case 'outranked':
      return receiveOutranked(context, item);
    case 'running':
      return receiveRunning(context, from, item.epoch);
  }
}

/** Does everything that is due. Returns the next time at which something is. */
function act(context: StepContext): number {
  const { state } = context;
  let dueAt = admit(context);
  dueAt = Math.min(dueAt, keepRing(context), seekShare(context));
  if (state.learning !== undefined) dueAt = Math.min(dueAt, learn(context));
  if (state.pendingWedge !== undefined) dueAt = Math.min(dueAt, wedgeWhenFree(context));
  if (state.wedge !== undefined || state.proposal !== undefined)
    dueAt = Math.min(dueAt, pursue(context));
  const { partitions } = state.self;
  // When one renewal is due, all others are sent with it and stay aligned from then on: the number
  // of messages does not grow with partitions.
  let renews = false;
  for (let partition = 0; partition < partitions; partition += 1)
    renews ||= isRenewalDue(context, partition);
  for (let partition = 0; partition < partitions; partition += 1) {
    serveQueue(context, partition);
    dueAt = Math.min(dueAt, tend(context, partition, renews), queueDueAt(context, partition));
  }
  return dueAt;
}

/** The end of a lease for which requests wait. */
function queueDueAt({ state, now }: StepContext, partition: number): number {
  const grant = state.grants[partition];
  if (grant === undefined || grant.queue.length === 0) return Number.POSITIVE_INFINITY;
  return Math.max(grant.until, state.mutedUntil) > now
    ? Math.max(grant.until, state.mutedUntil)
    : Number.POSITIVE_INFINITY;
}

/** Notifies the host of changes. Returns when the next one is due without any input. */
function emitChanges(context: StepContext): number {
  let dueAt = answerSeekers(context);
  for (let partition = 0; partition < context.state.self.partitions; partition += 1)
    dueAt = Math.min(dueAt, emitLeaderChange(context, partition));
  if (context.isRingStale) sendStands(context);
  emitWeakLeaderChanges(context);
  return dueAt;
}
