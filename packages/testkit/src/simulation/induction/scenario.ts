import type { Draining } from '../scenario.ts';
import type { Network } from '../weather.ts';

/** Bad things that come again and again, at random times. */
export type MisfortuneKind =
  /** A process handles nothing for a while, then goes on. */
  | 'pause'
  /** A process dies, and comes back under the same member name, remembering nothing. */
  | 'restart'
  /** A process says goodbye, drains, and joins again later. */
  | 'leave'
  /** Some of the links of a process break: to the coordinator, for reading, for writing. */
  | 'cut'
  /** All of them do. */
  | 'cut-off'
  /** Only the coordinator cannot be reached. */
  | 'uncoordinated'
  /** Only the coordinator, and nothing can be written; it goes on reading. */
  | 'mute'
  /** A process reads, but so slowly that it falls behind; and the coordinator may lose sight of it. */
  | 'starve'
  /** The coordinator moves a partition to another member. */
  | 'move'
  /** A leader resigns. */
  | 'resign'
  /** A member stops campaigning, and campaigns again later. */
  | 'observe'
  /** An operator removes a member from its group. */
  | 'evict'
  /** The same, and its connections break. */
  | 'expel'
  /** An operator deletes the group: its members join anew, and its decisions are numbered from the start. */
  | 'delete-group'
  /** The coordinator is away. */
  | 'coordinator-away'
  /** Another broker leads a partition, after a while of nobody doing so. */
  | 'new-broker'
  /** A clock's rate changes within ±ρ: a member's, or a broker's. */
  | 'drift'
  | 'broker-drift'
  /** A member's wall clock jumps; a broker's does. */
  | 'wall-step'
  | 'broker-step';

/** When bad things come. */
export type Rhythm =
  /** Each kind by itself. Times per simulated minute. */
  | { readonly kind: 'free'; readonly perMinute: Readonly<Partial<Record<MisfortuneKind, number>>> }
  /** One at a time, each only after everybody has got over the one before. */
  | { readonly kind: 'one-by-one'; readonly of: readonly MisfortuneKind[]; readonly restMs: number };

/** One kind of world. Milliseconds are those of a T of `thresholdMs`. */
export interface InductionScenario {
  readonly name: string;
  readonly promise: 'continuous' | 'exclusive';
  readonly beats: 'all' | 'owner';
  /** How soon a member is told the number of the coordinator's decision. */
  readonly numbered: 'at-once' | 'late' | 'never';
  /** `eager`: all at once. `cooperative`: whoever loses a partition has let go before another gets it. */
  readonly rebalancing: 'eager' | 'cooperative';
  /** How many groups share the partitions (I6). Every other node is of the next. */
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
  /** How far brokers' clocks are off, either way. */
  readonly brokerOffsetMsMax: number;
  /** How far one steps at once. */
  readonly brokerStepMs: readonly [number, number];
  readonly network: Network;
  readonly draining: Draining;
  /** How long a pause, a cut or an absence lasts, from and to, in thresholds. */
  readonly outage: readonly [number, number];
  readonly rhythm: Rhythm;
  /** For how long nobody may lead a partition that was led before, where that is promised. */
  readonly gapMsMax: number | undefined;
  /** The greatest share of time in which nobody may lead, where that is judged. */
  readonly leaderlessShareMax: number | undefined;
}
