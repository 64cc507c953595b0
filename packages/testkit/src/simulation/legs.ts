// A long run is many worlds, one after the other. Each has a seed of its own that follows from the run's.
import { randomFrom } from './random.ts';

/** One world of a long run. */
export interface Leg {
  readonly index: number;
  readonly seed: number;
  readonly ms: number;
}

/** The worlds of a run that is `ms` simulated milliseconds long. */
export function* legsOf(seed: number, ms: number): Generator<Leg, void, undefined> {
  const seeds = randomFrom(seed);
  const legs = Math.max(1, Math.floor(ms / legMs));
  for (let index = 0; index < legs; index += 1) yield { index, seed: Math.floor(seeds.next() * 2 ** 32), ms: ms / legs };
}

/** One world alone, from the very seed. */
export function oneLeg(seed: number, ms: number): readonly Leg[] {
  return [{ index: 0, seed, ms }];
}

/** Long enough for members to come and go many times. Milliseconds. */
const legMs = 1_800_000;
