/** What the coordinator decided for this member: the outcome of one completed rebalance. */
export interface Assigned {
  /** The partitions assigned to this member: all of them, not what changed. */
  readonly partitions: ReadonlySet<number>;
  /**
   * Numbers the coordinator's decisions: of two, the higher was made later. One for each partition of this member's, where they are
   * decided one by one. Left out while it is not known; then it may be told with the same partitions again. By it a member that the
   * coordinator cannot reach learns from its successor's beats that it was succeeded.
   */
  readonly generation?: number | ReadonlyMap<number, number>;
  /** `true`: this member is known to be the group's only one, so that nobody has to be waited for when it leaves. */
  readonly alone?: boolean;
}

/** Who should lead what, as a coordinator assigns it: each partition to at most one member at a time (I1). */
export interface Assignment {
  /**
   * The outcome of each rebalance, as soon as it is complete. Nothing is told when one begins: until the next outcome the last
   * one stands, also while the coordinator is away. A throw is trouble: the driver waits a little and calls again, and the last
   * outcome stands. `unauthorized`, `misconfigured-backend` and `partitions-differ` are final before the source is ready.
   */
  assigned(signal: AbortSignal): AsyncIterable<Assigned>;
  /** This member takes part, or takes part no longer: then its partitions are to be assigned to others at once. */
  standing(on: boolean): void;
  /** The partitions that this member gave up, and asks to be spared for now: where others can have them, it is not to get them. Advice. */
  declined(partitions: ReadonlySet<number>): void;
  /** Leaves the group, and lets go of everything. */
  close(): Promise<void>;
}
