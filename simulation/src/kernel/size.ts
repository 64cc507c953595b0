/** The size of a world and the length of its leases. */
export interface Size {
  readonly nodes: number;
  readonly partitions: number;
  /** T of a scenario with a single T, in milliseconds. Other durations scale in proportion. */
  readonly thresholdMs: number;
}
