// Induction (I) of one partition as a pure state machine. A step first expires what has expired,
// then processes one input, then performs whatever is due:
//
//   follower ──assigned, and proved by beats──▶ leading ──another is in charge──▶ lingering ──it leads──▶ draining ──▶ follower
//                                                  └──────── T since the last proof was published ────────▶ follower (fenced)
//
// A term ends T after a beat was published, by this member's own clock (I1, I2), whatever else
// happens. The coordinator decides which member should lead; beats show the leader and its
// successor whether that decision is current.
import type { Moment } from '../../ledger/protocol/state.ts';
import type { Instant } from '../../time/instant.ts';
import { longAgo, never } from '../../time/instant.ts';
import { learnAssigned, learnRestarted, startOver } from './assigning.ts';
import { beat, learnUnsent, sayGoodbye } from './beating.ts';
import { tellLeader } from './leader-changes.ts';
import { begin, beginsAt, expire, goOn, letGo } from './lease-state.ts';
import { hear } from './receiving.ts';
import type { InductionRules } from './rules.ts';
import { abstain, abstains, contendsAt, isSucceeded, unsucceededAt } from './standing.ts';
import type { Inductee, InductionInput, InductionState, InductionStep } from './state.ts';
import { beginTurn, earliest, isBelieving, type Turn } from './step-context.ts';

/** Returns the state of a partition before its first input. */
export function newInduction(self: Inductee, partition: number): InductionState {
  return {
    self,
    partition,
    appointed: false,
    generation: undefined,
    alone: false,
    campaigning: true,
    abstention: undefined,
    sent: [],
    sequence: 0,
    beatAt: longAgo,
    clock: undefined,
    clockErrorMs: undefined,
    provedAt: longAgo,
    heardAt: longAgo,
    provenSince: undefined,
    tenure: { kind: 'follower' },
    successors: [],
    leader: undefined,
    seenToken: 0n,
    declined: false,
    told: undefined,
  };
}

/** Processes one input, and whatever is due at that moment. */
export function stepInduction(rules: InductionRules, state: InductionState, input: InductionInput, moment: Moment): InductionStep {
  const turn = beginTurn(rules, state, moment);
  expire(turn);
  take(turn, input);
  const actAt = act(turn);
  const tellAt = tellLeader(turn);
  return { state: turn.state, outputs: turn.outputs, wakeAt: earliest(actAt, tellAt) };
}

function take(turn: Turn, input: InductionInput): void {
  switch (input.kind) {
    case 'wake':
      return;
    case 'beat':
      return hear(turn, input);
    case 'assigned':
      return learnAssigned(turn, input);
    case 'restarted':
      return learnRestarted(turn);
    case 'unsent':
      return learnUnsent(turn, input.id);
    case 'drained':
      return release(turn);
    default:
      return command(turn, input);
  }
}

type Command = InductionInput & { readonly kind: 'campaign' | 'resign' | 'fenced' };

function command(turn: Turn, input: Command): void {
  const { state } = turn;
  switch (input.kind) {
    case 'campaign':
      state.campaigning = input.on;
      state.abstention = undefined;
      return;
    case 'resign':
      return abstain(turn, input.atLeastMs);
    case 'fenced':
      return endedByHost(turn, input.slept);
  }
}

/** Ends the term after its drain. */
function release(turn: Turn): void {
  if (turn.state.tenure.kind !== 'draining') return;
  letGo(turn);
  if (!isSucceeded(turn)) sayGoodbye(turn);
}

/**
 * Handles a term that the host ended. If the clock may have stopped, everything measured by it is
 * discarded (H6). If only one member may lead, work that took too long gets another T to notice
 * (H3); otherwise the next term may begin at once.
 */
function endedByHost(turn: Turn, slept: boolean): void {
  const { state } = turn;
  const isExclusive = state.self.promise === 'exclusive';
  state.tenure = { kind: 'follower' };
  if (slept) state.clock = undefined;
  if (slept || isExclusive) startOver(turn);
  if (!slept && isExclusive) abstain(turn, 0);
}

/** Performs whatever is due, and returns when the next action is due. */
function act(turn: Turn): Instant {
  const { state } = turn;
  goOn(turn);
  begin(turn);
  decline(turn);
  const beatAt = beat(turn);
  const { tenure } = state;
  const endsAt = isBelieving(tenure) ? tenure.until : beginsAt(turn);
  const patientUntil = tenure.kind === 'lingering' ? tenure.patientUntil : never;
  const contendAt = abstains(turn) ? contendsAt(turn) : never;
  return earliest(beatAt, endsAt, patientUntil, unsucceededAt(turn), contendAt);
}

/** Asks the coordinator not to assign the partition to a member that gave it up. */
function decline(turn: Turn): void {
  const { state, outputs } = turn;
  const on = abstains(turn);
  if (on === state.declined) return;
  state.declined = on;
  outputs.push({ kind: 'decline', on });
}
