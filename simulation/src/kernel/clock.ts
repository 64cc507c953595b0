// The clocks of a simulated process, in worlds of every protocol. The monotonic clock runs at a
// rate within ±ρ of real time, and the rate may change. The wall clock has an arbitrary offset and
// can step.
import type { Instant } from '@leadership/core/adapter';
import type { Moment } from '@leadership/core/internal/engine';
import { between, leaning, type Random } from './random.ts';

/** Milliseconds of real time. No process in the world can read it. */
export type Real = number;

/** Real time, which all clocks of a world share. */
export interface RealTime {
  readonly now: Real;
}

/**
 * Unix time in milliseconds when the world begins, so that tokens look as they do in production.
 */
export const wallStartMs = 1_800_000_000_000;

/** Both clocks of one process. */
export class DriftingClock {
  /** Offset of the wall clock from real time, in milliseconds. */
  wallOffsetMs = 0;
  readonly #time: RealTime;
  #rate = 1;
  #base = 0;
  #setAt: Real = 0;
  /** The earlier rates of the present run, and since when. */
  #earlier: { readonly rate: number; readonly base: number; readonly setAt: Real }[] = [];

  constructor(time: RealTime) {
    this.#time = time;
  }

  /** Reads the monotonic clock. */
  now(): Instant {
    return (this.#base + (this.#time.now - this.#setAt) * this.#rate) as Instant;
  }

  /** Returns what the monotonic clock read at an earlier instant of its present run. */
  nowAt(at: Real): number {
    const earlier =
      at < this.#setAt ? this.#earlier.findLast(({ setAt }) => setAt <= at) : undefined;
    if (earlier) return earlier.base + (at - earlier.setAt) * earlier.rate;
    return this.#base + (at - this.#setAt) * this.#rate;
  }

  wallMicros(): number {
    return Math.floor((wallStartMs + this.#time.now + this.wallOffsetMs) * 1000);
  }

  /** Reads both clocks at the same instant. */
  moment(): Moment {
    return { now: this.now(), wallMicros: this.wallMicros() };
  }

  /**
   * Returns the real instant at which the monotonic clock reads `local`, if its rate does not
   * change.
   */
  realAt(local: number): Real {
    return this.#setAt + (local - this.#base) / this.#rate;
  }

  /** Sets a random rate within ±ρ from now on. Half of the rates are at one of the two limits. */
  drift(random: Random, driftRate: number): void {
    this.#earlier.push({ rate: this.#rate, base: this.#base, setAt: this.#setAt });
    this.#base = this.now();
    this.#setAt = this.#time.now;
    this.#rate = 1 + driftRate * leaning(random);
  }

  /**
   * Takes back the last `ms` milliseconds of real time: the monotonic clock stood still. The wall
   * clock went on.
   */
  standStill(ms: number): void {
    this.#earlier.push({ rate: this.#rate, base: this.#base, setAt: this.#setAt });
    this.#base = this.now() - ms * this.#rate;
    this.#setAt = this.#time.now;
  }

  /** Starts the clocks of a new process, which have nothing in common with those before. */
  restart(random: Random, driftRate: number, wallOffsetMsMax: number): void {
    this.drift(random, driftRate);
    this.#base = between(random, 0, 1e6);
    this.#earlier = [];
    this.wallOffsetMs = between(random, -wallOffsetMsMax, wallOffsetMsMax);
  }
}
