// Orders the ballots of a change of members. A ballot numbers one attempt; of two attempts, the one
// with the higher ballot wins.
import type { Ballot } from './message.ts';
import type { Self } from './state.ts';

/** Whether `b` outranks `a`. */
export function isOutranked(a: Ballot, b: Ballot): boolean {
  if (a.round !== b.round) return a.round < b.round;
  return a.member === b.member ? a.incarnation < b.incarnation : a.member < b.member;
}

/** Whether both belong to the same attempt. */
export function isSameBallot(a: Ballot, b: Ballot): boolean {
  return a.round === b.round && a.member === b.member && a.incarnation === b.incarnation;
}

/**
 * Returns a ballot above both rounds. It is unique, because an incarnation makes each of its
 * ballots at most once.
 */
export function ballotAbove(
  { member, incarnation }: Self,
  promised: number,
  known: number,
): Ballot {
  return { round: Math.max(promised, known) + 1, member, incarnation };
}
