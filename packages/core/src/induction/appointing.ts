import { after, longAgo } from '../time/instant.ts';
import type { InductionInput } from './state.ts';
import { clearSuccessors } from './succession.ts';
import { yieldNow } from './tenure.ts';
import { isBelieving, type Turn } from './turn.ts';

/** The coordinator's outcome (I1). */
export function learnAssigned(turn: Turn, { mine, generation, alone }: InductionInput & { readonly kind: 'assigned' }): void {
  const { state, now } = turn;
  state.alone = alone;
  if (!mine) {
    state.appointed = false;
    return;
  }
  if (!state.appointed) endAbstention(turn);
  const isAnew = !state.appointed || mayHaveMissed(turn, generation);
  if (isAnew) startOver(turn);
  state.appointed = true;
  if (isAnew || generation !== undefined) state.generation = generation;
  state.beatAt = now;
  clearSuccessors(turn);
}

/** Who asked to be spared, and is assigned the partition all the same, is the last one who can take it: nobody is to be without a leader. */
function endAbstention({ state, now }: Turn): void {
  const { abstention } = state;
  if (abstention !== undefined && now >= after(abstention.since, abstention.atLeastMs)) state.abstention = undefined;
}

/** The position was lost, or another broker leads the partition: stamps may come from another clock, and beats may have been skipped. */
export function learnRestarted(turn: Turn): void {
  const { state, rules } = turn;
  state.clock = rules.afterRestart(state.clock);
  // Among what was skipped may be a successor's beat: who is to lead alone starts over (I5).
  if (state.self.promise === 'exclusive') startOver(turn);
}

/** Nothing that was sent so far proves anything for the time to come. */
export function startOver(turn: Turn): void {
  const { state, rules } = turn;
  if (state.self.promise === 'exclusive') yieldNow(turn);
  state.provenSince = undefined;
  if (!isBelieving(state.tenure)) state.provedAt = longAgo;
  if (!rules.outlastsAppointment()) state.sent = state.sent.map(({ id, sentAt }) => ({ id, sentAt, proves: false }));
}

/**
 * Whether an outcome may have been missed, by which another was in charge in between: what exclusiveness has to know (I5). Where
 * outcomes are not numbered it cannot be told, and each is taken for a new appointment.
 */
function mayHaveMissed({ state }: Turn, generation: number | undefined): boolean {
  const { self, generation: known } = state;
  if (self.promise === 'continuous') return false;
  if (!self.numbered) return true;
  return generation !== undefined && known !== undefined && generation !== known && generation !== known + 1;
}
