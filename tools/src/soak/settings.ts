/** A soak as it is asked for. */
export interface SoakSettings {
  readonly durationMs: number;
  /** Decides which faults come in which order, to whom and for how long. What they meet, no seed decides. */
  readonly seed: number;
  readonly members: number;
  readonly partitions: number;
  readonly thresholdMs: number;
  /** So many members are always left alone, to lead. More where fewer could not elect. Default 2. */
  readonly leftAlone?: number;
}

/** Five members contend for sixteen partitions; T is ten times the stalls of a machine with two busy cores and more. */
export const usual: Pick<SoakSettings, 'members' | 'partitions' | 'thresholdMs'> = { members: 5, partitions: 16, thresholdMs: 1000 };
