// Tracks which member the coordinator put in charge after this one, so that this one stops once the
// other leads. The coordinator notifies both, but its notice may not reach this member; the
// successor's beats do.
import type { Beat } from '../beat.ts';
import { isCandidate, isOwner, isUnread } from './in-charge.ts';
import { lapsesAt, type StepContext } from './step-context.ts';

/**
 * Records another member that was put in charge after this one (I1), or that reports the end of it.
 */
export function noteSuccessor(
  context: StepContext,
  { incarnation, sequence, standing, generation }: Beat,
): void {
  const { state, now } = context;
  const before = state.successors.find((successor) => successor.incarnation === incarnation);
  const isNew = before === undefined ? isOwner(standing) : sequence > before.sequence;
  if (!isNew || (isOwner(standing) && !comesAfter(context, generation))) return;
  const others = state.successors.filter(
    (successor) => successor !== before && now < lapsesAt(context, successor.lastBeatAt),
  );
  state.successors = [...others, { incarnation, sequence, standing, generation, lastBeatAt: now }];
  if (isOwner(standing)) state.provenSince = undefined;
}

/**
 * Removes members that did not come after this one after all, because it was assigned again or its
 * beats arrive again.
 */
export function clearSuccessors(context: StepContext): void {
  const { state } = context;
  if (state.successors.length === 0) return;
  state.successors = state.successors.filter(
    ({ standing, generation }) => !isOwner(standing) || comesAfter(context, generation),
  );
}

/**
 * Returns whether another member in charge was assigned after this one, or cannot know of it
 * because this member's beats do not arrive (I1).
 */
function comesAfter(context: StepContext, generation: number | undefined): boolean {
  const { state, rules } = context;
  const isAssigned = state.assigned && isCandidate(context);
  return (
    rules.succeeds(generation, state.generation, isAssigned) ||
    (isUnread(context) && rules.yieldsUnread())
  );
}
