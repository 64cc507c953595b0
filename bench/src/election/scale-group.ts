// A group whose size, costs and times the benchmark `scale` measures, wherever its members live.

/** The size of a group. */
export interface ScaleSize {
  readonly members: number;
  readonly partitions: number;
}

/** The size of a group, and T. */
export interface Sized extends ScaleSize {
  readonly thresholdMs: number;
}

/** What a group has cost so far. Absent numbers are unknown. */
export interface Costs {
  readonly writes: number;
  readonly reads: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly cpuMs: number;
}

/** A group that is measured. All instants are milliseconds on the host's monotonic clock. */
export interface ScaleGroup extends AsyncDisposable {
  /** Adds members. Resolves with the instant at which the first of them was open. */
  join(count: number): Promise<number>;
  /** Takes a member away that leads, without warning. */
  crash(): Promise<void>;
  /** Closes the member that joined last. */
  close(): Promise<void>;
  /**
   * Resolves with the instant of the last change, once every partition is led, shares differ by at
   * most one, and nothing changes; with `NaN` if that takes too long.
   */
  settled(members: number): Promise<number>;
  /** Returns when terms have begun. */
  begunSince(since: number): readonly number[];
  costs(): Promise<Costs>;
  /** Resolves with the longest stall of an event loop. Milliseconds. */
  stallMs(): Promise<number>;
}

/** How long a group may take to settle. In T. */
export const timeoutThresholds = 12;
/** How long nothing has changed in a group that has settled. In T. */
export const quietThresholds = 0.5;

/** Returns the present instant. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
