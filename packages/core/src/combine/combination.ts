// The rules for leading in several sources at once, as a record of small functions: one record for
// anyOf, one for allOf (I7). The partition code around them only decides when to call them, so that
// a test can replace one rule with a mutant.
import type { Assumption, Guarantees } from '../contract/guarantees.ts';
import type { Leader } from '../contract/leader.ts';
import type { Part } from './part.ts';

/** A part whose term is ending in order, at the decision whether to release it. */
interface Ending {
  /** Whether all work that began while this part counted has settled. */
  readonly drained: boolean;
  /** Whether the remaining parts lead without this one. */
  readonly carried: boolean;
  /** Whether all parts before it have ended. */
  readonly isNext: boolean;
}

/** How the states of several sources combine into one. */
export interface Combination {
  readonly name: 'anyOf' | 'allOf';
  /** Returns whether a condition holds for the whole, given the parts for which it holds. */
  holds(parts: readonly Part[], is: (part: Part) => boolean): boolean;
  /** Combines two remaining lease times. Milliseconds. */
  remainingMs(a: number, b: number): number;
  /** H2: Returns whether a part's own term may end now. */
  mayRelease(ending: Ending): boolean;
  /** Whether the first source decides in which partitions the other sources campaign. */
  readonly follows: boolean;
  /**
   * T3: Whether one term of the whole uses up the parts' terms, so that none of them serves a
   * second one.
   */
  readonly usesUp: boolean;
  /**
   * T1: Returns whether a later part's term with token `later` may join the first part's term with
   * token `first`.
   */
  fits(first: bigint, later: bigint): boolean;
  /** Returns the token of a new term; `ended` is the token of the last one. */
  token(parts: readonly Part[], ended: bigint): bigint;
  /** Returns the leader of the whole, given the leader in each source. */
  leader(leaders: readonly (Leader | undefined)[]): Leader | undefined;
  ready(all: readonly Promise<void>[]): Promise<unknown>;
  /** Combines the times since the last confirmation of each source. Milliseconds. */
  confirmedMsAgo(all: readonly (number | undefined)[]): number | undefined;
  guarantees(all: readonly Guarantees[]): Guarantees;
}

/** A member leads if it leads in any source. */
export const anySource: Combination = {
  name: 'anyOf',
  holds: (parts, is) => parts.some(is),
  remainingMs: (a, b) => (a > b ? a : b),
  mayRelease: ({ drained, carried }) => carried || drained,
  follows: false,
  usesUp: false,
  fits: () => true,
  token: (parts, ended) =>
    parts.reduce(
      (token, { term }) => (term && term.token > token ? term.token : token),
      ended + 1n,
    ),
  leader: (leaders) => leaders.find((leader) => leader?.self === false),
  ready: (all) => Promise.any(all).catch(() => all[0]),
  confirmedMsAgo: (all) =>
    all.reduce(
      (least, ms) => (least === undefined || (ms !== undefined && ms < least) ? ms : least),
      undefined,
    ),
  guarantees: (all) => ({
    exclusive: false,
    tokens: 'none',
    handover: 'overlapping',
    assumes: assumptionsOf(all),
    overlapMsMax: 'unbounded',
    failoverMsMax: least(all.map(({ failoverMsMax }) => failoverMsMax)),
  }),
};

/**
 * A member leads if it leads in all sources. The terms of the first source number those of the
 * whole: each belongs to exactly one of them.
 */
export const everySource: Combination = {
  name: 'allOf',
  holds: (parts, is) => parts.every(is),
  remainingMs: (a, b) => (a < b ? a : b),
  mayRelease: ({ drained, isNext }) => drained && isNext,
  follows: true,
  usesUp: true,
  fits: (first, later) => later > first,
  token: ([first], ended) => first?.term?.token ?? ended + 1n,
  leader: ([first]) => first,
  ready: (all) => Promise.all(all),
  confirmedMsAgo: (all) =>
    all.reduce(
      (most, ms) => (most === undefined || ms === undefined ? undefined : Math.max(most, ms)),
      0,
    ),
  guarantees: (all) => ({
    exclusive: all.some(({ exclusive }) => exclusive),
    tokens: all[0]?.tokens ?? 'none',
    handover: all.some(({ handover }) => handover === 'drained') ? 'drained' : 'overlapping',
    assumes: assumptionsOf(all),
    overlapMsMax: least(all.map(({ overlapMsMax }) => overlapMsMax)),
    failoverMsMax: sum(all.map(({ failoverMsMax }) => failoverMsMax)),
  }),
};

type Bound = number | 'unbounded';

function assumptionsOf(all: readonly Guarantees[]): readonly Assumption[] {
  return [...new Set(all.flatMap(({ assumes }) => assumes))];
}

function least(bounds: readonly Bound[]): Bound {
  const numbers = bounds.filter((bound) => bound !== 'unbounded');
  return numbers.length === 0 ? 'unbounded' : Math.min(...numbers);
}

function sum(bounds: readonly Bound[]): Bound {
  return bounds.reduce(
    (total, bound) =>
      total === 'unbounded' || bound === 'unbounded' ? 'unbounded' : total + bound,
    0,
  );
}
