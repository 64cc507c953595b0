// The clocks of a simulated process. The monotonic one runs at a rate within ±ρ of real time, and the rate may change; the
// wall clock is off by any amount and steps about.
import type { Moment } from '@leadership/core/engine';
import { leaning, type Random } from './random.ts';

/** A point on one node's monotonic clock. */
export type Local = Moment['now'];

/** Milliseconds of real time, which nobody in the world can read. */
export type Real = number;

/** Both clocks of one process. */
export interface Clock {
  /** How fast it runs; 1 is real time. */
  rate: number;
  /** What it showed at `setAt`. */
  base: number;
  setAt: Real;
  /** How far the wall clock is ahead. Milliseconds. */
  wallOffsetMs: number;
}

/** Milliseconds since 1970 by a right wall clock when the world begins: tokens look as they do in production. */
const wallStartMs = 1_800_000_000_000;

/** What the monotonic clock shows at that real instant. */
export function localAt(clock: Clock, at: Real): Local {
  return (clock.base + (at - clock.setAt) * clock.rate) as Local;
}

/** The real instant at which the monotonic clock shows that, if its rate does not change. */
export function realAt(clock: Clock, local: number): Real {
  return clock.setAt + (local - clock.base) / clock.rate;
}

/** From now on the clock runs at `rate`. */
export function changeRate(clock: Clock, at: Real, rate: number): void {
  clock.base = localAt(clock, at);
  clock.setAt = at;
  clock.rate = rate;
}

/** Both clocks, read once. */
export function momentAt(clock: Clock, at: Real): Moment {
  return { now: localAt(clock, at), wallMicros: Math.floor((wallStartMs + at + clock.wallOffsetMs) * 1000) };
}

/** A rate within ±ρ, at one of the ends as often as not. */
export function driftedRate({ random, scenario: { driftRate } }: Drifting): number {
  return 1 + driftRate * leaning(random);
}

/** A world in which clocks drift. */
export interface Drifting {
  /** What decides by how much. */
  readonly random: Random;
  /** By how much at most: ρ. */
  readonly scenario: { readonly driftRate: number };
}
