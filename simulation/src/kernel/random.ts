// The random numbers of a world, all from its seed, so that a run can be repeated.

/** A stream of numbers in [0, 1) that is fully determined by its seed. */
export interface Random {
  /** Returns the next number in [0, 1). */
  next(): number;
}

/**
 * Returns an sfc32 generator (Doty-Humphrey, PractRand): small, fast, with a period longer than any
 * run.
 */
export function randomFrom(seed: number): Random {
  let a = seed | 0;
  let b = 0x9e3779b9 | 0;
  let c = 0x243f6a88 | 0;
  let counter = 1;
  const next = (): number => {
    const mixed = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + mixed;
    return (mixed >>> 0) / 0x1_0000_0000;
  };
  for (let warmUp = 0; warmUp < warmUps; warmUp += 1) next();
  return { next };
}

/** Number of rounds until every bit of the seed has affected every bit of the state. */
const warmUps = 12;

/** Returns true with probability `share`. */
export function happens(random: Random, share: number): boolean {
  return share > 0 && random.next() < share;
}

/** Returns a random number in [low, high). */
export function between(random: Random, low: number, high: number): number {
  return low + random.next() * (high - low);
}

/** Returns a random number in [-1, 1]. Half of the results are at one of the two limits. */
export function leaning(random: Random): number {
  return Math.max(-1, Math.min(1, between(random, -2, 2)));
}

/** Returns one of `choices`, which must not be empty. */
export function pick<T>(random: Random, choices: readonly T[]): T {
  return defined(choices[Math.floor(random.next() * choices.length)]);
}

/** Returns `value`, and throws if it is `undefined`. For values that the simulation guarantees. */
export function defined<T>(value: T | undefined): T {
  if (value === undefined)
    throw new Error('Broken invariant: a part of the simulated world is missing');
  return value;
}
