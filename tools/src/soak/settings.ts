// The settings of a soak test: its length, its seed, its members.

/** How to run a soak. */
export interface SoakSettings {
  readonly durationMs: number;
  /**
   * Determines the faults, their order, targets and durations. The seed does not determine what the
   * processes do meanwhile.
   */
  readonly seed: number;
  readonly members: number;
  readonly partitions: number;
  readonly thresholdMs: number;
  /**
   * The number of members that are always without a fault, so that one can lead. Raise it if a
   * quorum needs more. Default 2.
   */
  readonly faultFreeMin?: number;
}

/** The usual group. T is at least ten times the stalls of a machine with two busy cores. */
export const usual: Pick<SoakSettings, 'members' | 'partitions' | 'thresholdMs'> = {
  members: 5,
  partitions: 16,
  thresholdMs: 1000,
};
