// Two things are timed in many short rounds that take turns, so that noise (a neighbour on the core, a change of clock rate,
// a collection) hits both alike. Who goes first alternates too: the second of a pair finds the caches warm.
import { median } from './statistics.ts';

/** Measures one round of its own: its cost in whatever unit, lower or higher. */
export type Round = () => number;

/** How often. */
export interface Times {
  /** Rounds that are measured. */
  readonly rounds: number;
  /** Rounds before that, which are thrown away: the compiler is still at work. */
  readonly warmUps: number;
}

/** What came of it, round by round. */
export interface Pairs {
  readonly ours: readonly number[];
  readonly baseline: readonly number[];
  /** The median of the rounds' own ratios: each compares two neighbours in time. */
  readonly pairedRatio: number;
}

/** Lets both take turns. */
export function interleave(ours: Round, baseline: Round, { rounds, warmUps }: Times): Pairs {
  const pairs: { readonly ours: number; readonly baseline: number }[] = [];
  for (let round = -warmUps; round < rounds; round += 1) {
    const pair = round % 2 === 0 ? { ours: ours(), baseline: baseline() } : { baseline: baseline(), ours: ours() };
    if (round >= 0) pairs.push(pair);
  }
  return {
    ours: pairs.map((pair) => pair.ours),
    baseline: pairs.map((pair) => pair.baseline),
    pairedRatio: median(pairs.map((pair) => pair.ours / pair.baseline)),
  };
}
