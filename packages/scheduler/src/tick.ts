// A tick is one planned start of a job: the tick as the job receives it, and its outcome.
import type { Term } from '@leadership/core';

/** One tick, for the job that runs at it. */
export interface Tick {
  /** The time of the tick according to the cron pattern, not the time at which the job starts. */
  readonly at: Date;
  /**
   * `true` if no job ran for the tick when it was due, and the option `missed` catches it up now;
   * `false` at its time, or as soon after it as a hand-over or a fail-over permits. It is no measure: `Date.now() - at.getTime()` is the delay in milliseconds,
   * by the wall clock of the member that runs the job. `oncePerTick`, and so `LeaderCron` and
   * `node-cron`, catch nothing up: there it is always `false`.
   */
  readonly isLate: boolean;
  /** The term of the leader that runs the job. Write `term.token` with every write. */
  readonly term: Term;
  /** Aborts when the term begins to end. The hand-over waits for the job. Same as `term.signal`. */
  readonly signal: AbortSignal;
}

/** The function that runs at each tick. The next tick waits until it has settled. */
export type Job = (tick: Tick) => unknown;

/** The outcome of a tick on this member. */
export type TickOutcome =
  /** The job has run, and succeeded. */
  | { readonly kind: 'ran'; readonly at: Date; readonly isLate: boolean }
  /** The job has run, and thrown. It is not repeated. */
  | {
      readonly kind: 'failed';
      readonly at: Date;
      readonly isLate: boolean;
      readonly error: unknown;
    }
  /** The job has not run and will not run. */
  | {
      readonly kind: 'missed';
      readonly at: Date;
      readonly reason: MissedReason;
      /** The error of the store, if that is the reason. */
      readonly error?: unknown;
    };

/**
 * Why no job ran for a tick: `not-led`: no member led when it was due, nor soon enough afterwards, or
 * an earlier job still ran; `term-ended`: the term ended while the tick was claimed; `store-failed`:
 * the store could not be asked, or its answer was lost; `refused-by-token`: the store has seen a
 * greater token than that of the leader.
 */
export type MissedReason = 'not-led' | 'term-ended' | 'store-failed' | 'refused-by-token';
