// The clocks of a simulated process. The monotonic clock runs at a rate within ±ρ of real time, and
// the rate may change. The wall clock has an arbitrary offset and can step.
import type { Moment } from '@leadership/core/internal';
import { leaning, type Random } from './random.ts';

/** A point on one node's monotonic clock. */
export type Local = Moment['now'];

/** Milliseconds of real time. No process in the world can read it. */
export type Real = number;

/** Both clocks of one process. */
export interface Clock {
  /** Rate relative to real time; 1 is real time. */
  rate: number;
  /** Reading of the monotonic clock at `setAt`. */
  base: number;
  setAt: Real;
  /** Offset of the wall clock from real time, in milliseconds. */
  wallOffsetMs: number;
}

/**
 * Unix time in milliseconds when the world begins, so that tokens look as they do in production.
 */
const wallStartMs = 1_800_000_000_000;

/** Returns the reading of the monotonic clock at a real instant. */
export function localAt(clock: Clock, at: Real): Local {
  return (clock.base + (at - clock.setAt) * clock.rate) as Local;
}

/**
 * Returns the real instant at which the monotonic clock reads `local`, if its rate does not change.
 */
export function realAt(clock: Clock, local: number): Real {
  return clock.setAt + (local - clock.base) / clock.rate;
}

/** Sets the rate of the monotonic clock from `at` on. */
export function changeRate(clock: Clock, at: Real, rate: number): void {
  clock.base = localAt(clock, at);
  clock.setAt = at;
  clock.rate = rate;
}

/** Reads both clocks at the same instant. */
export function momentAt(clock: Clock, at: Real): Moment {
  return {
    now: localAt(clock, at),
    wallMicros: Math.floor((wallStartMs + at + clock.wallOffsetMs) * 1000),
  };
}

/** Returns a random rate within ±ρ. Half of the rates are at one of the two limits. */
export function driftedRate({ random, scenario: { driftRate } }: Drifting): number {
  return 1 + driftRate * leaning(random);
}

/** The parts of a world that clock drift depends on. */
export interface Drifting {
  /** Source of randomness for the rate. */
  readonly random: Random;
  /** Maximum drift: ρ. */
  readonly scenario: { readonly driftRate: number };
}
