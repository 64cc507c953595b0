declare const instant: unique symbol;

/** A point on this process's monotonic clock, in milliseconds. Only differences mean anything, and only within one process. */
export type Instant = number & { readonly [instant]: true };

/** The instant `ms` milliseconds after `at` (before it, where `ms` is negative). */
export function after(at: Instant, ms: number): Instant {
  return (at + ms) as Instant;
}

/** Before every other instant: the deadline of one who believes nothing. */
export const longAgo: Instant = Number.NEGATIVE_INFINITY as Instant;

/** After every other instant: the wake-up of one who waits for nothing. */
export const never: Instant = Number.POSITIVE_INFINITY as Instant;
