// The result of a simulated run, for any protocol.

/** The result of a simulated run. */
export interface Outcome {
  readonly scenario: string;
  readonly seed: number;
  readonly simulatedMs: number;
  readonly happenings: number;
  readonly historyHash: string;
  readonly doubleLeaders: number;
  /**
   * Double leaders in a situation where an assumption of the guarantee did not hold. They are
   * counted, but are no violation.
   */
  readonly knownDoubleLeaders?: number;
  readonly tokenRegressions: number;
  /** Number of violations per rule. A counter above its limit is listed under its own name. */
  readonly broken: Readonly<Record<string, number>>;
  /** The first violation, as text. */
  readonly first: string | undefined;
  readonly leaderlessShare: number;
  readonly needlessMoves: number;
  readonly renewalGaps: number;
}

/** Returns whether the outcome contains no violation. */
export function isSound({ broken }: Outcome): boolean {
  return Object.keys(broken).length === 0;
}

/** Decides whether a running world continues. */
export interface Watch<Result> {
  /** Returns whether the world continues, given its outcome so far. */
  readonly goesOn: (soFar: Result) => boolean;
  /**
   * Interval between calls of `goesOn`, in simulated milliseconds. Default: 30 minutes, as for the
   * counters.
   */
  readonly everyMs?: number;
}

/** Interval at which a hunt checks whether its mutant was caught, in simulated milliseconds. */
export const huntEveryMs = 60_000;
