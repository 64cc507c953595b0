// Splits a long run into consecutive worlds. The seed of each world derives from the seed of the
// run.
import { randomFrom } from './random.ts';

/** One world of a long run. */
export interface Leg {
  readonly index: number;
  readonly seed: number;
  readonly ms: number;
}

/** Yields the worlds of a run of `ms` simulated milliseconds. */
export function* legsOf(seed: number, ms: number): Generator<Leg, void, undefined> {
  const seeds = randomFrom(seed);
  const legs = Math.max(1, Math.floor(ms / legMs));
  for (let index = 0; index < legs; index += 1)
    yield { index, seed: Math.floor(seeds.next() * 2 ** 32), ms: ms / legs };
}

/** Returns a single world that uses the given seed itself. */
export function oneLeg(seed: number, ms: number): readonly Leg[] {
  return [{ index: 0, seed, ms }];
}

/** Length of one world in milliseconds: enough for members to join and leave many times. */
const legMs = 1_800_000;
