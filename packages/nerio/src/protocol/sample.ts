// The composite clock (N1): what the hardware shows, and a counter for the readings it shows the same for.

/** One reading of a member's clock. No two of one incarnation are equal. */
export interface Sample {
  /** Milliseconds, on the clock that leases are measured by. */
  readonly at: number;
  readonly count: number;
}

/** When a round began, by the clock of who began it: the name of the round. Compared only within one incarnation. */
export interface Start extends Sample {
  readonly incarnation: string;
}

/** Before every reading. */
export const noSample: Sample = { at: Number.NEGATIVE_INFINITY, count: 0 };

/** Whether `a` was read before `b`, by the same incarnation. */
export function isBefore(a: Sample, b: Sample): boolean {
  return a.at < b.at || (a.at === b.at && a.count < b.count);
}

/** Whether both are the same reading. */
export function isSame(a: Start, b: Start): boolean {
  return a.at === b.at && a.count === b.count && a.incarnation === b.incarnation;
}

/** The reading that follows `last` where the hardware shows `now`: later than it even if the hardware has not moved, or has been set back. */
export function nextSample(last: Sample, now: number): Sample {
  return now > last.at ? { at: now, count: 0 } : { at: last.at, count: last.count + 1 };
}
