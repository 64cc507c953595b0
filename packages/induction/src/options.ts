// The options of a `continuous` group, and what a broker provides for it.
import type { ResolvedOptions } from '@leadership/core/adapter';
import type { Assignment } from './assignment.ts';
import type { Beats } from './beats.ts';

/** The options of induction, in addition to those of every backend. */
export interface InductionOptions {
  /**
   * `continuous`: prefer two leaders over none (I4). `exclusive`: never two leaders while the
   * coordinator honours sessions (I5); for brokers that can assign but not compare. Prefer a lease
   * where a store is available. Default `continuous`.
   */
  readonly promise?: 'continuous' | 'exclusive';
  /**
   * `owner`: only the assigned member beats on a partition, and only its own beats count. `all`:
   * every member beats on every partition, and every beat counts (I3), so a leader whose own beats
   * fail stays leader through those of others. Default `owner`.
   */
  readonly beats?: 'all' | 'owner';
  /**
   * F, the interval between two beats of a member. Milliseconds. Default: T/10, less if
   * `groupsOnTopic` requires it.
   */
  readonly beatMs?: number;
  /**
   * n, the number of groups that share the partitions. Each member beats every n · F, so that more
   * groups do not add load (I3, I6). Default 1.
   */
  readonly groupsOnTopic?: number;
  /**
   * e, the largest error in placing another member's beat in time, which also bounds an unnoticed
   * step of the broker's clock (I2). `health().measured` shows the measured error; `health()`
   * reports a trouble if it exceeds this value. Milliseconds. Default: T/10 for `beats: 'all'`, and
   * 0 for `owner`, which compares no clocks.
   */
  readonly clockErrorMsMax?: number;
}

/**
 * The parts that a broker provides: the assignment of partitions, and the beats that show whether
 * it is current.
 */
export interface InductionParts {
  /** What the coordinator decides. */
  readonly assignment: Assignment;
  /** What the members publish on each partition. */
  readonly beats: Beats;
}

/** The properties of a broker and of this member's membership there. */
export interface InductionTraits {
  /** How long the coordinator reserves the partitions of a silent member. Milliseconds. */
  readonly sessionTimeoutMs: number;
  /** The longest duration of a rebalance. Milliseconds. */
  readonly rebalanceTimeoutMs: number;
  /**
   * Whether the broker stamps beats by its own clock. Without stamps, only a member's own beats
   * count (I2).
   */
  readonly stamps: 'broker' | 'none';
  /**
   * Whether the assignment eventually provides `Assigned.generation`. Without it, nothing bounds
   * the overlap with a member that only its coordinator cannot reach.
   */
  readonly numbered: boolean;
  /**
   * Whether a partition that all members decline stays with its owner. Then a member whose beats do not
   * return declines it (I9). Default false.
   */
  readonly settles?: boolean;
  /** The longest delay of a reader by design, usually its poll period. Milliseconds. Default 0. */
  readonly deliveryDelayMs?: number;
}

/**
 * The options of `inductionBackend`: the resolved options of every backend, and those of induction.
 */
export type ResolvedInductionOptions = ResolvedOptions & InductionOptions;
