// The clock that sources and backends read, and that tests replace.
import type { Instant } from './instant.ts';

/**
 * The protocols' only source of time: a monotonic clock for decisions, and a wall clock to number
 * tokens (T1).
 */
export interface Clock {
  /** Reads the monotonic clock. */
  now(): Instant;
  /**
   * Returns the wall clock in microseconds since 1970. No decision depends on it; it keeps tokens
   * growing when a store has lost all its data.
   */
  wallMicros(): number;
  /**
   * Calls `callback` once, at `at` or later, never earlier by this clock. Disposing cancels the call.
   */
  wake(
    at: Instant,
    callback: () => void,
  ): Disposable & {
    /** Lets the process exit before the call. */
    unref?(): void;
  };
  /**
   * Calls `callback` in a later turn of the event loop. Default: a turn of the process. A simulation
   * has turns of its own.
   */
  turn?(callback: () => void): void;
}

/** A reading of both clocks. */
export interface Moment {
  readonly now: Instant;
  readonly wallMicros: number;
}

/** Returns the wall clock in whole milliseconds since 1970, as people read it. */
export function wallMs(clock: Clock): number {
  return Math.floor(clock.wallMicros() / 1000);
}

/** Reads both clocks. */
export function momentOf(clock: Clock): Moment {
  return { now: clock.now(), wallMicros: clock.wallMicros() };
}
