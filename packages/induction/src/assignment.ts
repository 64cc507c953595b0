// The port to the coordinator of a group, such as Kafka's: it decides which member should lead
// which partition.

import type { Publication } from '@leadership/core/adapter';

/** The coordinator's decision for this member: the outcome of one completed rebalance. */
export interface Assigned {
  /** All partitions assigned to this member, not only the changes. */
  readonly partitions: ReadonlySet<number>;
  /**
   * The number of the decision: of two decisions, the higher was made later. A map holds one number
   * per partition of this member, for coordinators that decide each partition separately. Omitted
   * while unknown; the same partitions may then be yielded again with it. It lets a member that the
   * coordinator cannot reach recognise its successor by the successor's beats.
   */
  readonly generation?: number | ReadonlyMap<number, number>;
  /**
   * `true`: this member is known to be the only one in the group, so it can leave without waiting
   * for a successor.
   */
  readonly alone?: boolean;
}

/**
 * The coordinator's assignment: it decides which member should lead, each partition at most one
 * member at a time (I1).
 */
export interface Assignment {
  /**
   * Yields the outcome of each rebalance once it is complete. Yields nothing when a rebalance
   * begins: the last outcome stands until the next one, even while the coordinator is unreachable.
   * If the iterator throws, the driver reports a trouble, waits, and calls `assigned` again.
   * `unauthorized`, `misconfigured-backend` and `partitions-differ` are final before the source is
   * ready.
   */
  assigned(signal: AbortSignal): AsyncIterable<Assigned>;
  /**
   * Joins or leaves the rebalancing. When a member leaves, the coordinator must assign its
   * partitions to others at once.
   */
  setCandidate(isCandidate: boolean): void;
  /**
   * Sets the partitions that this member gave up, or on which its beats do not come back, and should not
   * be assigned for now if another member can take them. Advisory. `isBack`: its beats come back
   * again, so it can take its share.
   */
  declined(partitions: ReadonlySet<number>, isBack?: boolean): void;
  /**
   * Notes what this member publishes about itself. It travels with what is sent anyway. An assignment
   * without this method publishes nothing.
   */
  publish?(publication: Publication): void;
  /**
   * Returns whether the present members that it has reported may not be all, because it has not listened
   * for long enough. It knows after T at the latest. An assignment without this method reports all.
   */
  isUnsure?(): boolean;
  /** Leaves the group and releases all resources. */
  close(): Promise<void>;
}
