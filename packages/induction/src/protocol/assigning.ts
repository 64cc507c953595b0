// Applies a decision of the coordinator to the state of this member: the partition is assigned to
// it, or to another. Part of the machine in `step.ts`. The rules in comments, such as I1, are those
// of docs/explanation/induction.md.
import { longAgo } from '@leadership/core/internal/engine';
import { yieldNow } from './lease-state.ts';
import type { InductionInput } from './state.ts';
import { isBelieving, type StepContext } from './step-context.ts';
import { clearSuccessors } from './succession.ts';

/** Processes a decision of the coordinator (I1). */
export function applyAssignment(
  context: StepContext,
  { mine, generation, alone }: InductionInput & { readonly kind: 'assigned' },
): void {
  const { state, now } = context;
  state.alone = alone;
  if (!mine) {
    state.assigned = false;
    return;
  }
  if (!state.assigned && state.abstention !== undefined)
    state.abstention = { ...state.abstention, endsAtMinimum: true };
  const isNew = !state.assigned || mayHaveMissed(context, generation);
  if (isNew) startOver(context);
  state.assigned = true;
  if (isNew || generation !== undefined) state.generation = generation;
  state.beatAt = now;
  clearSuccessors(context);
}

/**
 * Processes a lost position or a new partition leader: stamps may come from another clock, and
 * beats may be missing.
 */
export function applyRestart(context: StepContext): void {
  const { state, rules } = context;
  state.clock = rules.afterRestart(state.clock);
  // The missing beats may include a successor's, so an exclusive leader starts over (I5).
  if (state.self.promise === 'exclusive') startOver(context);
}

/** Discards all beats sent so far as proofs for the future. */
export function startOver(context: StepContext): void {
  const { state, rules } = context;
  if (state.self.promise === 'exclusive') yieldNow(context);
  state.provenSince = undefined;
  if (!isBelieving(state.leaseState)) state.provedAt = longAgo;
  if (!rules.outlastsAppointment())
    state.sent = state.sent.map(({ id, sentAt }) => ({ id, sentAt, proves: false }));
}

/**
 * Returns whether this member may have missed a decision that put another in charge in between,
 * which matters for exclusivity (I5). If decisions are not numbered it cannot know, so every
 * decision counts as a new assignment.
 */
function mayHaveMissed({ state }: StepContext, generation: number | undefined): boolean {
  const { self, generation: known } = state;
  if (self.promise === 'continuous') return false;
  if (!self.numbered) return true;
  return (
    generation !== undefined &&
    known !== undefined &&
    generation !== known &&
    generation !== known + 1
  );
}
