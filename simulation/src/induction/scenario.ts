import type { Draining } from '../kernel/draining.ts';
import type { Network } from '../kernel/weather.ts';

/** The faults, which recur at random times. */
export type MisfortuneKind =
  /** A process handles no events for a while, then continues. */
  | 'pause'
  /** A process crashes and restarts under the same member name, without any state. */
  | 'restart'
  /** A process leaves the group, drains, and joins again later. */
  | 'leave'
  /** A process loses some of its links: to the coordinator, for reading, for writing. */
  | 'cut'
  /** A process loses all its links. */
  | 'cut-off'
  /** A process loses only its link to the coordinator. */
  | 'uncoordinated'
  /** A process loses its link to the coordinator and its writes, but continues to read. */
  | 'mute'
  /**
   * A process reads so slowly that it falls behind. Its link to the coordinator and its writes may
   * break as well.
   */
  | 'starve'
  /** The coordinator moves a partition to another member. */
  | 'move'
  /** A leader resigns. */
  | 'resign'
  /** A member stops campaigning, and campaigns again later. */
  | 'observe'
  /** An operator removes a member from its group. */
  | 'evict'
  /** An operator removes a member, whose connections break at the same time. */
  | 'expel'
  /**
   * An operator deletes the group: its members join again, and generations restart from the
   * beginning.
   */
  | 'delete-group'
  /** The coordinator is unavailable. */
  | 'coordinator-away'
  /**
   * The leadership of a partition moves to another broker, after a while without a leading broker.
   */
  | 'new-broker'
  /** The rate of a clock changes within ±ρ: of a member, or of a broker. */
  | 'drift'
  | 'broker-drift'
  /** A wall clock jumps: of a member, or of a broker. */
  | 'wall-step'
  | 'broker-step';

/** The schedule of the faults. */
type Rhythm =
  /** Each kind independently, in occurrences per simulated minute. */
  | { readonly kind: 'free'; readonly perMinute: Readonly<Partial<Record<MisfortuneKind, number>>> }
  /** One fault at a time, each after the recovery from the previous one. */
  | {
      readonly kind: 'one-by-one';
      readonly of: readonly MisfortuneKind[];
      readonly restMs: number;
    };

/** The description of one kind of world. Durations are for a T of `thresholdMs` milliseconds. */
export interface InductionScenario {
  readonly name: string;
  readonly promise: 'continuous' | 'exclusive';
  readonly beats: 'all' | 'owner';
  /** When a member learns the generation of an assignment. */
  readonly numbered: 'at-once' | 'late' | 'never';
  /**
   * `eager`: all partitions move at once. `cooperative`: a member releases a partition before
   * another receives it.
   */
  readonly rebalancing: 'eager' | 'cooperative';
  /** Number of groups that share the partitions (I6). The nodes are distributed round-robin. */
  readonly groups: number;
  readonly nodes: number;
  readonly partitions: number;
  readonly thresholdMs: number;
  readonly sessionMs: number;
  readonly rebalanceMs: number;
  readonly heartbeatMs: number;
  readonly beatMs: number;
  readonly clockErrorMsMax: number;
  readonly driftRate: number;
  readonly brokers: number;
  /** Maximum offset of the brokers' clocks, in either direction. Milliseconds. */
  readonly brokerOffsetMsMax: number;
  /** Minimum and maximum step of a broker's clock. */
  readonly brokerStepMs: readonly [number, number];
  readonly network: Network;
  readonly draining: Draining;
  /** Minimum and maximum length of a pause, a cut or an absence, in thresholds. */
  readonly outage: readonly [number, number];
  readonly rhythm: Rhythm;
  /** Maximum time without a leader, for a partition that has had one. `undefined`: not judged. */
  readonly gapMsMax: number | undefined;
  /** Maximum share of time without a leader. `undefined`: not judged. */
  readonly leaderlessShareMax: number | undefined;
}
