// The random numbers of tests: the same seed gives the same ones.

/**
 * Returns a generator of numbers in [0, 1) that are determined by the seed (mulberry32, by Tommy
 * Ettinger): small, and good enough to spread tests.
 */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}
