// Who is in charge after this member. The coordinator says so to both, but it may not reach this one; beats do.
import type { Beat } from './beat.ts';
import { isGoing, isOwner, isUnheard } from './standing.ts';
import { lapsesAt, type Turn } from './turn.ts';

/** Who else is in charge, where that came after this member (I1); or was, and says that it is no more. */
export function noteSuccessor(turn: Turn, { incarnation, sequence, standing, generation }: Beat): void {
  const { state, now } = turn;
  const before = state.successors.find((successor) => successor.incarnation === incarnation);
  const isNews = before === undefined ? isOwner(standing) : sequence > before.sequence;
  if (!isNews || (isOwner(standing) && !comesAfter(turn, generation))) return;
  const others = state.successors.filter((successor) => successor !== before && now < lapsesAt(turn, successor.heardAt));
  state.successors = [...others, { incarnation, sequence, standing, generation, heardAt: now }];
  if (isOwner(standing)) state.provenSince = undefined;
}

/** Those that came before this member after all are no successors: it was put in charge again, or makes itself heard again. */
export function clearSuccessors(turn: Turn): void {
  const { state } = turn;
  if (state.successors.length === 0) return;
  state.successors = state.successors.filter(({ standing, generation }) => !isOwner(standing) || comesAfter(turn, generation));
}

/** Whether another in charge was put there after this member; or does not know of it, because nobody hears it (I1). */
function comesAfter(turn: Turn, generation: number | undefined): boolean {
  const { state, rules } = turn;
  const isAppointed = state.appointed && !isGoing(turn);
  return rules.succeeds(generation, state.generation, isAppointed) || (isUnheard(turn) && rules.yieldsUnheard());
}
