// Induction (I) of one partition as a pure state machine: docs/explanation/induction.md. Rule numbers
// such as I2: docs/reference/rules.md. A step first expires what has expired, then processes one input, then performs whatever
// is due:
//
//   follower ──assigned, and proved by beats──▶ leading ──another is in charge──▶ lingering ──it leads──▶ revoking ──▶ follower
//                                                  └──────── T since the last proof was published ────────▶ follower (fenced)
//
// A term ends T after a beat was published, by this member's own clock (I1, I2), whatever else
// happens. The coordinator decides which member should lead; beats show the leader and its
// successor whether that decision is current.
import type { Instant } from '@leadership/core/adapter';
import { longAgo, type Moment } from '@leadership/core/internal/engine';
import { applyAssignment, applyRestart, startOver } from './assigning.ts';
import { beat, learnUnsent, sendFinalBeat } from './beating.ts';
import {
  abstain,
  abstains,
  abstainsUntil,
  endAbstention,
  isSucceeded,
  successorLapsesAt,
} from './in-charge.ts';
import { emitLeaderChange } from './leader-changes.ts';
import { advance, begin, beginsAt, endTerm, expire } from './lease-state.ts';
import { receiveBeat } from './receiving.ts';
import type { InductionRules } from './rules.ts';
import type { InductionInput, InductionState, InductionStep, MemberConfig } from './state.ts';
import { beginStep, earlier, isBelieving, type StepContext } from './step-context.ts';
import { noteReturn } from './unreturned.ts';

/** Returns the state of a partition before its first input. */
export function newInduction(self: MemberConfig, partition: number): InductionState {
  return {
    self,
    partition,
    assigned: false,
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
    ownProvedAt: longAgo,
    provenSince: undefined,
    leaseState: { kind: 'follower' },
    successors: [],
    leader: undefined,
    seenToken: 0n,
    declined: false,
    unreturned: false,
    lastLeader: undefined,
  };
}

/** Processes one input, and whatever is due at that moment. */
export function stepInduction(
  rules: InductionRules,
  state: InductionState,
  input: InductionInput,
  moment: Moment,
): InductionStep {
  const context = beginStep(rules, state, moment);
  expire(context);
  take(context, input);
  const actAt = act(context);
  const emitAt = emitLeaderChange(context);
  return { state: context.state, outputs: context.outputs, wakeAt: earlier(actAt, emitAt) };
}

function take(context: StepContext, input: InductionInput): void {
  switch (input.kind) {
    case 'wake':
      return;
    case 'beat':
      return receiveBeat(context, input);
    case 'assigned':
      return applyAssignment(context, input);
    case 'restarted':
      return applyRestart(context);
    case 'unsent':
      return learnUnsent(context, input.id);
    case 'drained':
      return release(context);
    default:
      return command(context, input);
  }
}

type Command = InductionInput & { readonly kind: 'campaign' | 'resign' | 'fenced' };

function command(context: StepContext, input: Command): void {
  const { state } = context;
  switch (input.kind) {
    case 'campaign':
      state.campaigning = input.on;
      if (!input.on) noteReturn(context);
      return endAbstention(context);
    case 'resign':
      return abstain(context, input.atLeastMs);
    case 'fenced':
      return endedByHost(context, input.lapse);
  }
}

/** Ends the term after its drain. */
function release(context: StepContext): void {
  if (context.state.leaseState.kind !== 'revoking') return;
  endTerm(context);
  if (!isSucceeded(context) && context.now < beginsAt(context)) sendFinalBeat(context);
}

/**
 * Handles a term that the host ended. If the clock may have stopped, everything measured by it is
 * discarded (H6). If only one member may lead, work that took too long gets another T to notice
 * (H3); otherwise the next term may begin at once.
 */
function endedByHost(context: StepContext, lapse: boolean): void {
  const { state } = context;
  const isExclusive = state.self.promise === 'exclusive';
  state.leaseState = { kind: 'follower' };
  if (!lapse) state.clock = undefined;
  if (!lapse || isExclusive) startOver(context);
  if (lapse && isExclusive) abstain(context, 0);
}

/** Performs whatever is due, and returns when the next action is due. */
function act(context: StepContext): Instant {
  const { state, now } = context;
  advance(context);
  begin(context);
  decline(context);
  const beatAt = beat(context);
  const { leaseState } = state;
  const endsAt = isBelieving(leaseState) ? leaseState.until : beginsAt(context);
  let dueAt = earlier(earlier(beatAt, endsAt), successorLapsesAt(context));
  if (leaseState.kind === 'lingering' && leaseState.patientUntil > now)
    dueAt = earlier(dueAt, leaseState.patientUntil);
  return abstains(context) ? earlier(dueAt, abstainsUntil(context)) : dueAt;
}

/** Asks the coordinator not to assign the partition to a member that gave it up. */
function decline(context: StepContext): void {
  const { state, outputs } = context;
  const on = abstains(context);
  if (on === state.declined) return;
  state.declined = on;
  outputs.push({ kind: 'decline', on });
}
