// The clock by which edicts are ordered (N1): the reading of the hardware, and a counter that
// separates equal readings.

/** One reading of a member's clock. No two of one incarnation are equal. */
export interface Sample {
  /** Milliseconds, on the lease clock. */
  readonly at: number;
  readonly count: number;
}

/**
 * The beginning of a round by the candidate's clock, and so the name of the round. Compared only
 * within one incarnation.
 */
export interface Start extends Sample {
  readonly incarnation: string;
}

/** Precedes every reading. */
export const noSample: Sample = { at: Number.NEGATIVE_INFINITY, count: 0 };

/** Whether `a` was read before `b`, by the same incarnation. */
export function isBefore(a: Sample, b: Sample): boolean {
  return a.at < b.at || (a.at === b.at && a.count < b.count);
}

/** Whether both are the same reading. */
export function isSame(a: Start, b: Start): boolean {
  return a.at === b.at && a.count === b.count && a.incarnation === b.incarnation;
}

/**
 * Returns the reading after `last` when the hardware shows `now`. It is later than `last` even if
 * the hardware clock stopped or was set back.
 */
export function nextSample(last: Sample, now: number): Sample {
  return now > last.at ? { at: now, count: 0 } : { at: last.at, count: last.count + 1 };
}
