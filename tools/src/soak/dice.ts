/** Chance, as a seed decides it. */
export interface Dice {
  /** Between the two, the lower one included. */
  between(low: number, high: number): number;
  /** One of them. */
  pick<T>(choices: readonly T[]): T;
}

/** Mulberry32, by Tommy Ettinger: 32 bits of state are plenty for a list of faults. */
export function dice(seed: number): Dice {
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
      if (chosen === undefined) throw new RangeError('nothing to choose from');
      return chosen;
    },
  };
}
