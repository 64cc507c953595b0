// Induction (I) on one partition, as a pure machine. A step lets pass what has passed, takes one input, then does whatever is due:
//
//   follower ──assigned, and proved by beats──▶ leading ──another is in charge──▶ lingering ──it leads──▶ draining ──▶ follower
//                                                  └──────── T since the last proof was published ────────▶ follower (fenced)
//
// Belief ends T after a beat was published, by this member's own clock (I1, I2), whatever else happens. The coordinator says who
// should lead; beats say whether that is still current, to the leader itself and to the one it follows.
import type { Moment } from '../ledger/state.ts';
import type { Instant } from '../time/instant.ts';
import { longAgo, never } from '../time/instant.ts';
import { learnAssigned, learnRestarted, startOver } from './appointing.ts';
import { beat, learnUnsent, sayGoodbye } from './beating.ts';
import { hear } from './hearing.ts';
import type { InductionRules } from './rules.ts';
import { abstain, abstains, contendsAt, isSucceeded, unsucceededAt } from './standing.ts';
import type { Inductee, InductionInput, InductionState, InductionStep } from './state.ts';
import { tellLeader } from './telling.ts';
import { begin, beginsAt, expire, goOn, letGo } from './tenure.ts';
import { beginTurn, earliest, isBelieving, type Turn } from './turn.ts';

/** What a member knows of a partition before its first input. */
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

/** One input, and whatever is due then. */
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

/** After its drain. */
function release(turn: Turn): void {
  if (turn.state.tenure.kind !== 'draining') return;
  letGo(turn);
  if (!isSucceeded(turn)) sayGoodbye(turn);
}

/**
 * The host ended the term by itself. A clock that may have stood still takes everything with it that was measured by it (H6). Work
 * that took too long is to have another T to notice, where nobody may lead beside it (H3); else another term may begin at once.
 */
function endedByHost(turn: Turn, slept: boolean): void {
  const { state } = turn;
  const isExclusive = state.self.promise === 'exclusive';
  state.tenure = { kind: 'follower' };
  if (slept) state.clock = undefined;
  if (slept || isExclusive) startOver(turn);
  if (!slept && isExclusive) abstain(turn, 0);
}

/** Does whatever is due, and says when something will be next. */
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

/** Whoever gave the partition up asks to be spared it meanwhile. */
function decline(turn: Turn): void {
  const { state, outputs } = turn;
  const on = abstains(turn);
  if (on === state.declined) return;
  state.declined = on;
  outputs.push({ kind: 'decline', on });
}
