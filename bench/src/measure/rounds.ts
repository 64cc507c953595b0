// Times an operation beside its baseline in many short, alternating rounds, so that noise affects
// both equally: another process on the core, a change of the clock rate, a garbage collection.
// Which operation goes first alternates too, because the second one finds warm caches.
import { median } from './statistics.ts';

/** Runs one round and returns its cost, in any unit. */
export type Round = () => number;

/** The numbers of rounds. */
export interface Times {
  /** The number of rounds that count. */
  readonly rounds: number;
  /** The number of rounds before them, which are discarded because they include compilation. */
  readonly warmUps: number;
}

/** The cost of each round. */
export interface Pairs {
  readonly ours: readonly number[];
  readonly baseline: readonly number[];
  /**
   * The median of the ratios of the single rounds, each of which compares two adjacent
   * measurements.
   */
  readonly pairedRatio: number;
}

/** Runs rounds of both operations alternately. */
export function interleave(ours: Round, baseline: Round, { rounds, warmUps }: Times): Pairs {
  const pairs: { readonly ours: number; readonly baseline: number }[] = [];
  for (let round = -warmUps; round < rounds; round += 1) {
    const pair =
      round % 2 === 0
        ? { ours: ours(), baseline: baseline() }
        : { baseline: baseline(), ours: ours() };
    if (round >= 0) pairs.push(pair);
  }
  return {
    ours: pairs.map((pair) => pair.ours),
    baseline: pairs.map((pair) => pair.baseline),
    pairedRatio: median(pairs.map((pair) => pair.ours / pair.baseline)),
  };
}
