/** A pseudo-random number generator with a seed. */
export interface Rng {
  /** Returns a number from `low`, inclusive, to `high`, exclusive. */
  between(low: number, high: number): number;
  /** Returns one of the choices. */
  pick<T>(choices: readonly T[]): T;
}

/**
 * Returns a Mulberry32 generator (by Tommy Ettinger). 32 bits of state are enough for a sequence of
 * faults.
 */
export function createRng(seed: number): Rng {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    between: (low, high) => low + next() * (high - low),
    pick(choices) {
      const chosen = choices[Math.floor(next() * choices.length)];
      if (chosen === undefined) throw new RangeError('rng.pick needs at least one choice');
      return chosen;
    },
  };
}
