import type { Term } from '@leadership/core';

/** One tick, for the job that runs at it. */
export interface Tick {
  /** The time of the tick according to the cron pattern, not the time at which the job starts. */
  readonly at: Date;
  /**
   * `true` if no job ran for the tick when it was due, and the option `missed` catches it up now;
   * `false` at its time. It is no measure: `Date.now() - at.getTime()` is the delay in milliseconds,
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
  /**
   * The job has not run and will not run: no member led when the tick was due, an earlier job still
   * ran, or the term ended while the tick was claimed.
   */
  | { readonly kind: 'missed'; readonly at: Date };
