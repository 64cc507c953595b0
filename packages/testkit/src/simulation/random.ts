/** A stream of numbers in [0, 1) that its seed decides, bit for bit. */
export interface Random {
  /** The next number in [0, 1). */
  next(): number;
}

/** Sfc32 (Doty-Humphrey, PractRand): small, fast, and its period outlasts any run. */
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

/** Until every bit of the seed has reached every bit of the state. */
const warmUps = 12;

/** Whether something of this probability happens now. */
export function happens(random: Random, share: number): boolean {
  return share > 0 && random.next() < share;
}

/** A number in [low, high). */
export function between(random: Random, low: number, high: number): number {
  return low + random.next() * (high - low);
}

/** A number within ±1, at one of the ends as often as not. */
export function leaning(random: Random): number {
  return Math.max(-1, Math.min(1, between(random, -2, 2)));
}

/** One of `choices`, which must not be empty. */
export function pick<T>(random: Random, choices: readonly T[]): T {
  return there(choices[Math.floor(random.next() * choices.length)]);
}

/** Asserts that something is there that cannot be missing. */
export function there<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('Broken invariant: the simulated world misses a part of itself');
  return value;
}
