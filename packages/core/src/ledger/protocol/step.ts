// The ledger lease (L) of one partition as a pure state machine: docs/explanation/ledger-lease.md.
// Rule numbers such as L3: docs/reference/rules.md. A step first expires what has expired, then processes one input, then performs
// whatever is due:
//
//   follower ──claim in effect──▶ leading ──lease request, resign──▶ revoking ──drained──▶ releasing ──▶ follower
//                                    └──── deadline passed, another's record in effect ────▶ follower (fenced)
//
// A term ends at a deadline that was fixed before its proof was sent (L3), whatever else happens.
// The code here only decides when to send the next proof, and what a record in effect means.
import type { Moment } from '../../time/clock.ts';
import { after, type Instant, longAgo, never } from '../../time/instant.ts';
import { applyEnd, applyOutcome, applyRecord, applyRestart } from './apply-records.ts';
import { claim } from './claiming.ts';
import { learnDeath, releaseForDead } from './deputy.ts';
import { learnFloor, readFloor } from './floor.ts';
import { unread } from './fold.ts';
import {
  moveUnrequestedAt,
  release,
  releaseAgain,
  releaseUnwanted,
  renew,
  revoke,
} from './holding.ts';
import { emitLeaderChange } from './leader-changes.ts';
import { expire, fence } from './lease-state.ts';
import { receiveRequest, requestLease } from './requesting.ts';
import type { LedgerRules } from './rules.ts';
import type { Abstention, LedgerInput, MemberConfig, PartitionState, Step } from './state.ts';
import { adoptToken, beginStep, isBelieving, type StepContext } from './step-context.ts';

/** Returns the state of a partition before its first input. */
export function newPartition(self: MemberConfig, partition: number, at: Instant): PartitionState {
  return {
    self,
    partition,
    fold: unread(at),
    leaseState: { kind: 'follower' },
    seenToken: 0n,
    floor: self.hasFloor ? 'unread' : 'read',
    ledToken: 0n,
    pin: 'unknown',
    campaigning: true,
    abstention: undefined,
    attempts: [],
    sequence: 0,
    writeAt: longAgo,
    ownRequests: [],
    requestAt: longAgo,
    unproven: 0,
    pendingRequests: [],
    ranks: undefined,
    movedAt: longAgo,
    termSince: longAgo,
    deaths: [],
    unanswered: 0,
    refusedOver: undefined,
    rereading: false,
    lastLeader: undefined,
  };
}

/** Processes one input, and whatever is due at that moment. */
export function step(
  rules: LedgerRules,
  state: PartitionState,
  input: LedgerInput,
  moment: Moment,
): Step {
  const context = beginStep(rules, state, moment);
  expire(context);
  take(context, input);
  const actAt = act(context);
  const emitAt = emitLeaderChange(context);
  return {
    state: context.state,
    outputs: context.outputs,
    wakeAt: actAt < emitAt ? actAt : emitAt,
  };
}

function take(context: StepContext, input: LedgerInput): void {
  switch (input.kind) {
    case 'wake':
      return;
    case 'record':
      return applyRecord(context, input.record, input.receivedAt);
    case 'end':
      return applyEnd(context);
    case 'restarted':
      return applyRestart(context);
    case 'written':
      return applyOutcome(context, input);
    case 'requested':
      return receiveRequest(context, input);
    case 'drained':
      return release(context);
    default:
      return command(context, input);
  }
}

type Command = LedgerInput & {
  readonly kind: 'ranks' | 'pin' | 'campaign' | 'resign' | 'floor' | 'died' | 'fenced';
};

function command(context: StepContext, input: Command): void {
  const { state } = context;
  switch (input.kind) {
    case 'ranks':
      state.ranks = input.ranks;
      return;
    case 'pin':
      state.pin = input.pin;
      if (input.pin === 'differs' && isBelieving(state.leaseState))
        fence(context, 'partitions-differ');
      return;
    case 'campaign':
      return campaign(context, input);
    case 'resign':
      return abstain(context, input.atLeastMs, state.abstention?.lease ?? 'release');
    case 'floor':
      return learnFloor(context, input);
    case 'died':
      return learnDeath(context, input.incarnation);
    case 'fenced':
      state.leaseState = { kind: 'follower' };
      if (input.lapse) abstain(context, 0, 'lapse');
  }
}

/**
 * Starts or stops campaigning. A new campaign ends an abstention, unless its lease is left to
 * lapse.
 */
function campaign(
  context: StepContext,
  { on, above }: LedgerInput & { readonly kind: 'campaign' },
): void {
  const { state } = context;
  state.campaigning = on;
  if (above !== undefined) adoptToken(context, above);
  if (state.abstention?.lease !== 'lapse') state.abstention = undefined;
}

/**
 * Makes this member abstain from the partition from now on, at least until an earlier abstention
 * would have ended.
 */
function abstain({ state, now }: StepContext, atLeastMs: number, lease: Abstention['lease']): void {
  const { since, atLeastMs: before } = state.abstention ?? { since: now, atLeastMs: 0 };
  state.abstention = {
    since: now,
    atLeastMs: Math.max(atLeastMs, after(since, before) - now),
    lease,
  };
}

/** Performs whatever is due, and returns when the next action is due. */
function act(context: StepContext): Instant {
  const { leaseState } = context.state;
  if (leaseState.kind === 'follower') {
    releaseUnwanted(context);
    readFloor(context);
    const releaseForDeadAt = releaseForDead(context);
    const claimAt = claim(context);
    const requestAt = requestLease(context);
    if (context.state.leaseState.kind === 'follower')
      return Math.min(releaseForDeadAt, claimAt, requestAt) as Instant;
  } else if (leaseState.kind === 'releasing') {
    releaseAgain(context, leaseState.token);
  } else {
    renew(context, leaseState);
    revoke(context, leaseState);
  }
  return holderActsAt(context);
}

function holderActsAt(context: StepContext): Instant {
  const { leaseState, writeAt } = context.state;
  if (leaseState.kind === 'follower') return never;
  const moveAt = leaseState.kind === 'leading' ? moveUnrequestedAt(context) : never;
  return Math.min(writeAt, leaseState.until, moveAt) as Instant;
}
