import type { Ballot } from './message.ts';
import type { Self } from './state.ts';

/** Whether `a` gives way to `b`. */
export function isOutranked(a: Ballot, b: Ballot): boolean {
  if (a.round !== b.round) return a.round < b.round;
  return a.member === b.member ? a.incarnation < b.incarnation : a.member < b.member;
}

/** Whether both are the same attempt's. */
export function isSameBallot(a: Ballot, b: Ballot): boolean {
  return a.round === b.round && a.member === b.member && a.incarnation === b.incarnation;
}

/** A ballot above those of two rounds, which is nobody else's: an incarnation makes each of its own at most once. */
export function ballotAbove({ member, incarnation }: Self, promised: number, known: number): Ballot {
  return { round: Math.max(promised, known) + 1, member, incarnation };
}
