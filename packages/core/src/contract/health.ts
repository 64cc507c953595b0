import type { LeadershipErrorCode } from './leadership-error.ts';

/** Something that is wrong now, or was lately and could not be mended. `JSON.stringify` works on it, whatever its cause is. */
export interface Trouble {
  readonly code: LeadershipErrorCode;
  readonly since: Date;
  readonly message: string;
  /** The partition, where it is about a single one. */
  readonly partition?: number;
  /** The error underneath, as it was thrown: for `work-failed` what the work threw. */
  readonly cause?: unknown;
}

/** How the source fares. */
export interface Health {
  /** Ready, without troubles, and not closed. Warnings do not count: what they are about works. */
  readonly ok: boolean;
  /** Milliseconds since the backend last confirmed anything; `undefined` before it first did. */
  readonly confirmedMsAgo: number | undefined;
  /** How many inputs of which kind were dropped: garbage, truncated records, other groups' traffic. */
  readonly ignored: Readonly<Record<string, number>>;
  /**
   * What the backend measured, by name. `clockErrorMs`: how far it may misplace another member's proof in time, where it compares
   * clocks at all (I2); the largest of all partitions, in milliseconds.
   */
  readonly measured: Readonly<Record<string, number>>;
  readonly troubles: readonly Trouble[];
  /** What works, yet weakens a promise or will cost something one day: settings of the backend, rights that are missing. */
  readonly warnings: readonly Trouble[];
}
