// Times of the monotonic clock, as a type of their own, so that they are not confused with
// wall-clock times.
declare const instant: unique symbol;

/**
 * A point on this process's monotonic clock, in milliseconds. Only differences are meaningful, and
 * only within one process.
 */
export type Instant = number & { readonly [instant]: true };

/** Returns the instant `ms` milliseconds after `at`, or before it if `ms` is negative. */
export function after(at: Instant, ms: number): Instant {
  return (at + ms) as Instant;
}

/** Before every other instant: a deadline that has always passed. */
export const longAgo: Instant = Number.NEGATIVE_INFINITY as Instant;

/** After every other instant: a wake-up that never happens. */
export const never: Instant = Number.POSITIVE_INFINITY as Instant;

/** Returns the latest of some instants. */
export function latest(...instants: readonly Instant[]): Instant {
  return Math.max(...instants) as Instant;
}

/** Returns the earliest of some instants. */
export function earliest(...instants: readonly Instant[]): Instant {
  return Math.min(...instants) as Instant;
}
