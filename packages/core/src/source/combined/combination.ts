// What it means to lead in several sources at once, as a record of small functions: one for anyOf, one for allOf (I7). The seat
// around them only says when they are asked, so that a mutant is one rule replaced.
import type { Assumption, Guarantees } from '../../contract/guarantees.ts';
import type { Leader } from '../../contract/leader.ts';
import type { Part } from './part.ts';

/** A part whose term is ending in order, as the release is decided on. */
interface Ending {
  /** Everything that was begun while this part counted has settled. */
  readonly drained: boolean;
  /** The parts that go on lead without this one. */
  readonly carried: boolean;
  /** Those before it are over. */
  readonly isNext: boolean;
}

/** How the answers of several sources become one. */
export interface Combination {
  readonly name: 'anyOf' | 'allOf';
  /** Whether what is true of these parts makes it true of the whole. */
  holds(parts: readonly Part[], is: (part: Part) => boolean): boolean;
  /** Of two remaining times of belief the one that counts. Milliseconds. */
  remainingMs(a: number, b: number): number;
  /** H2: whether a part's own term may end now. */
  mayLetGo(ending: Ending): boolean;
  /** Whether the first source decides who stands in the others. */
  readonly follows: boolean;
  /** T3: whether a part's term is used up by one term of the whole. */
  readonly usesUp: boolean;
  /** T1: whether a later part's term, of this token, may go with the first one's: by order of the tokens it is the later one. */
  fits(first: bigint, later: bigint): boolean;
  /** The token of a term that begins, where `ended` was the last one's. */
  token(parts: readonly Part[], ended: bigint): bigint;
  /** Who leads, of those that lead in each source. */
  leader(leaders: readonly (Leader | undefined)[]): Leader | undefined;
  ready(all: readonly Promise<void>[]): Promise<unknown>;
  /** How long ago the sources answered, of how long ago each did. Milliseconds. */
  confirmedMsAgo(all: readonly (number | undefined)[]): number | undefined;
  guarantees(all: readonly Guarantees[]): Guarantees;
}

/** Led where any source leads. */
export const anySource: Combination = {
  name: 'anyOf',
  holds: (parts, is) => parts.some(is),
  remainingMs: (a, b) => (a > b ? a : b),
  mayLetGo: ({ drained, carried, isNext }) => carried || (drained && isNext),
  follows: false,
  usesUp: false,
  fits: () => true,
  token: (parts, ended) => parts.reduce((token, { term }) => (term && term.token > token ? term.token : token), ended + 1n),
  leader: (leaders) => leaders.find((leader) => leader?.self === false),
  ready: (all) => Promise.any(all).catch(() => all[0]),
  confirmedMsAgo: (all) => all.reduce((least, ms) => (least === undefined || (ms !== undefined && ms < least) ? ms : least), undefined),
  guarantees: (all) => ({
    exclusive: false,
    tokens: 'none',
    handover: 'overlapping',
    assumes: assumptionsOf(all),
    overlapMsMax: 'unbounded',
    failoverMsMax: least(all.map(({ failoverMsMax }) => failoverMsMax)),
  }),
};

/** Led where all sources lead. The first one's terms number those of the whole: each is part of one of them, and of one only. */
export const everySource: Combination = {
  name: 'allOf',
  holds: (parts, is) => parts.every(is),
  remainingMs: (a, b) => (a < b ? a : b),
  mayLetGo: ({ drained, isNext }) => drained && isNext,
  follows: true,
  usesUp: true,
  fits: (first, later) => later > first,
  token: ([first], ended) => first?.term?.token ?? ended + 1n,
  leader: ([first]) => first,
  ready: (all) => Promise.all(all),
  confirmedMsAgo: (all) => all.reduce((most, ms) => (most === undefined || ms === undefined ? undefined : Math.max(most, ms)), 0),
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
  return bounds.reduce((total, bound) => (total === 'unbounded' || bound === 'unbounded' ? 'unbounded' : total + bound), 0);
}
