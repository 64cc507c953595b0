import type { LeadershipErrorCode } from './leadership-error.ts';

/**
 * A current failure, or a recent one that cannot be resolved. `JSON.stringify` accepts it, whatever
 * its cause is.
 */
export interface Trouble {
  /** The kind of the failure. */
  readonly code: LeadershipErrorCode;
  /** When the failure began, by the wall clock. */
  readonly since: Date;
  /** What failed, and the remedy. */
  readonly message: string;
  /** The partition, if the failure concerns a single one. */
  readonly partition?: number;
  /** The underlying error, as it was thrown; for `work-failed`, the value that the work threw. */
  readonly cause?: unknown;
}

/** The health of a source. */
export interface Health {
  /** Whether the source is ready, has no troubles and is not closed. Warnings do not count. */
  readonly ok: boolean;
  /** Milliseconds since the backend last confirmed anything; `undefined` before the first time. */
  readonly confirmedMsAgo: number | undefined;
  /**
   * The number of dropped inputs by kind: invalid data, truncated records, traffic of other groups.
   */
  readonly ignored: Readonly<Record<string, number>>;
  /**
   * Measurements by name, over all partitions. On every backend: `renewalMs`, the longest time from
   * the request of a proof of leadership until its arrival, and `leaseMarginMs`, the shortest time
   * that was left of a lease when it was renewed, both of the last minute or two in which this member
   * led. `clockErrorMs` is the maximum error in placing another member's proof in time, for backends
   * that compare clocks (I2). Milliseconds.
   */
  readonly measured: Readonly<Record<string, number>>;
  /** The current failures, and recent ones that cannot be resolved. */
  readonly troubles: readonly Trouble[];
  /**
   * Conditions that work but weaken a guarantee or may cause problems later, such as backend
   * settings or missing permissions.
   */
  readonly warnings: readonly Trouble[];
}
