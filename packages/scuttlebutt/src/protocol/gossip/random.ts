// The random choices of the machine, such as the peers of a round. The state of the generator is
// one number: randomness is part of the machine's state, and its seed is an argument.

/** A number in [0, 1), and the state for the next one. */
export interface Drawn {
  readonly value: number;
  readonly seed: number;
}

/** Draws a number (mulberry32, Tommy Ettinger): enough to choose peers, not to keep secrets. */
export function draw(seed: number): Drawn {
  const next = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(next ^ (next >>> 15), next | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return { value: ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000, seed: next };
}
