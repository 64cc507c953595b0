// The ledger lease (L) of one partition as a pure state machine. A step first expires what has
// expired, then processes one input, then performs whatever is due:
//
//   follower ──claim in effect──▶ leading ──preferred asks, resign──▶ revoking ──drained──▶ releasing ──▶ follower
//                                    └──── deadline passed, another's record in effect ────▶ follower (fenced)
//
// A term ends at a deadline that was fixed before its proof was sent (L3), whatever else happens.
// The code here only decides when to send the next proof, and what a record in effect means.
import { after, type Instant, longAgo, never } from '../../time/instant.ts';
import { learnEnd, learnRecord, learnRestart, learnWritten } from './apply-records.ts';
import { claim } from './claiming.ts';
import { unread } from './fold.ts';
import { letGo, moveUnaskedAt, release, releaseAgain, renew, revoke } from './holding.ts';
import { tellLeader } from './leader-changes.ts';
import { expire, fence } from './lease-state.ts';
import { ask, hear } from './requesting.ts';
import type { LedgerRules } from './rules.ts';
import type { Abstention, Contender, LedgerInput, Moment, PartitionState, Step } from './state.ts';
import { beginTurn, isBelieving, type Turn } from './step-context.ts';

/** Returns the state of a partition before its first input. */
export function newPartition(self: Contender, partition: number, at: Instant): PartitionState {
  return {
    self,
    partition,
    fold: unread(at),
    tenure: { kind: 'follower' },
    seenToken: 0n,
    ledToken: 0n,
    pin: 'unknown',
    campaigning: true,
    abstention: undefined,
    attempts: [],
    sequence: 0,
    writeAt: longAgo,
    wants: [],
    askAt: longAgo,
    unproven: 0,
    heard: [],
    ranks: undefined,
    movedAt: longAgo,
    unanswered: 0,
    refusedOver: undefined,
    rereading: false,
    told: undefined,
  };
}

/** Processes one input, and whatever is due at that moment. */
export function step(rules: LedgerRules, state: PartitionState, input: LedgerInput, moment: Moment): Step {
  const turn = beginTurn(rules, state, moment);
  expire(turn);
  take(turn, input);
  const actAt = act(turn);
  const tellAt = tellLeader(turn);
  return { state: turn.state, outputs: turn.outputs, wakeAt: actAt < tellAt ? actAt : tellAt };
}

function take(turn: Turn, input: LedgerInput): void {
  switch (input.kind) {
    case 'wake':
      return;
    case 'record':
      return learnRecord(turn, input.record, input.receivedAt);
    case 'end':
      return learnEnd(turn);
    case 'restarted':
      return learnRestart(turn);
    case 'written':
      return learnWritten(turn, input);
    case 'wanted':
      return hear(turn, input);
    case 'drained':
      return release(turn);
    default:
      return command(turn, input);
  }
}

type Command = LedgerInput & { readonly kind: 'ranks' | 'pin' | 'campaign' | 'resign' | 'fenced' };

function command(turn: Turn, input: Command): void {
  const { state } = turn;
  switch (input.kind) {
    case 'ranks':
      state.ranks = input.ranks;
      return;
    case 'pin':
      state.pin = input.pin;
      if (input.pin === 'differs' && isBelieving(state.tenure)) fence(turn, 'partitions-differ');
      return;
    case 'campaign':
      return campaign(turn, input);
    case 'resign':
      return abstain(turn, input.atLeastMs, state.abstention?.lease ?? 'release');
    case 'fenced':
      state.tenure = { kind: 'follower' };
      if (input.lapse) abstain(turn, 0, 'lapse');
  }
}

/**
 * Starts or stops campaigning. A new campaign ends an abstention, unless its lease is left to
 * lapse.
 */
function campaign({ state }: Turn, { on, above }: LedgerInput & { readonly kind: 'campaign' }): void {
  state.campaigning = on;
  if (above !== undefined && above > state.seenToken) state.seenToken = above;
  if (state.abstention?.lease !== 'lapse') state.abstention = undefined;
}

/**
 * Makes this member abstain from the partition from now on, at least until an earlier abstention
 * would have ended.
 */
function abstain({ state, now }: Turn, atLeastMs: number, lease: Abstention['lease']): void {
  const { since, atLeastMs: before } = state.abstention ?? { since: now, atLeastMs: 0 };
  state.abstention = { since: now, atLeastMs: Math.max(atLeastMs, after(since, before) - now), lease };
}

/** Performs whatever is due, and returns when the next action is due. */
function act(turn: Turn): Instant {
  const { tenure } = turn.state;
  if (tenure.kind === 'follower') {
    letGo(turn);
    const claimAt = claim(turn);
    const askAt = ask(turn);
    if (turn.state.tenure.kind === 'follower') return claimAt < askAt ? claimAt : askAt;
  } else if (tenure.kind === 'releasing') {
    releaseAgain(turn, tenure.token);
  } else {
    renew(turn, tenure);
    revoke(turn, tenure);
  }
  return holderActsAt(turn);
}

function holderActsAt(turn: Turn): Instant {
  const { tenure, writeAt } = turn.state;
  if (tenure.kind === 'follower') return never;
  const moveAt = tenure.kind === 'leading' ? moveUnaskedAt(turn) : never;
  return Math.min(writeAt, tenure.until, moveAt) as Instant;
}
