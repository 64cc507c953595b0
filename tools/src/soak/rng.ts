// The random numbers of a soak test: the same seed repeats the same faults.
import { seededRandom } from '@leadership/testkit/internal';

/** A pseudo-random number generator with a seed. */
export interface Rng {
  /** Returns a number from `low`, inclusive, to `high`, exclusive. */
  between(low: number, high: number): number;
  /** Returns one of the choices. */
  pick<T>(choices: readonly T[]): T;
}

/** Returns a generator. 32 bits of state are enough for a sequence of faults. */
export function createRng(seed: number): Rng {
  const next = seededRandom(seed);
  return {
    between: (low, high) => low + next() * (high - low),
    pick(choices) {
      const chosen = choices[Math.floor(next() * choices.length)];
      if (chosen === undefined) throw new RangeError('rng.pick needs at least one choice');
      return chosen;
    },
  };
}
