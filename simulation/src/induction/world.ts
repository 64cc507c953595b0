// The parts of the simulated world of induction. They are plain mutable data, which the functions
// in this folder change.

import type { Beat } from '@leadership/core/adapter';
import type {
  InductionRules,
  InductionState,
  MemberConfig,
} from '@leadership/core/internal/induction';
import type { Clock, Local, Real } from '../kernel/clock.ts';
import type { Random } from '../kernel/random.ts';
import type { Timeline } from '../kernel/timeline.ts';
import type { Happening, Request } from './happening.ts';
import type { Judge } from './judge.ts';
import type { InductionScenario } from './scenario.ts';

export interface World extends Timeline<Happening> {
  readonly scenario: InductionScenario;
  readonly rules: InductionRules;
  readonly random: Random;
  readonly nodes: readonly Node[];
  /** The clocks of the brokers, which stamp the records. */
  readonly brokers: readonly Clock[];
  /** Per partition. */
  readonly logs: readonly Log[];
  /** Per group. */
  readonly groups: readonly Group[];
  readonly judge: Judge;
}

/** One process. Its state is the one that the last step returned. */
export interface Node {
  readonly index: number;
  readonly group: number;
  readonly clock: Clock;
  /** Increases when the process stops. */
  life: number;
  alive: boolean;
  campaigning: boolean;
  pausedUntil: Real;
  readsCutUntil: Real;
  writesCutUntil: Real;
  coordinatorCutUntil: Real;
  /** Until when the process reads more slowly than the others write. */
  starvedUntil: Real;
  self: MemberConfig;
  /** Per partition, like all arrays below. */
  partitions: InductionState[];
  beliefs: Belief[];
  readers: Reader[];
  /** When the earliest scheduled wake-up fires. */
  wakes: Real[];
  /** When the state machine needs a wake-up, by the node's clock. */
  dues: number[];
  /**
   * Whether the partition was assigned to the sender when the beat that this node's belief rests on
   * was appended.
   */
  provenOwn: boolean[];
  /** The latest generation that the member knows; 0 before the first. */
  generation: number;
  /** Number of requests to join. */
  joins: number;
  /** Until when the member waits for the answer to a request to join. */
  joiningUntil: Real;
  readonly declined: Set<number>;
}

/** What a host reports to its user about one partition. */
export interface Belief {
  token: bigint;
  until: Local;
  /** Whether the host has ended this belief. The clock may end the belief earlier. */
  ended: boolean;
  settled: boolean;
}

/** The log of a partition. */
export interface Log {
  entries: Entry[];
  /** Offset of the first entry. */
  start: number;
  /** Index of the broker that leads the partition. */
  broker: number;
  /** Increases with every change of the leading broker. */
  epoch: number;
  /** Until when the partition has no leading broker. */
  downUntil: Real;
}

/** A beat in a log. */
export interface Entry {
  readonly beat: Beat;
  readonly stampedMs: number;
  readonly epoch: number;
  readonly at: Real;
  /** The reading of each node's clock at that moment. */
  readonly locals: readonly Local[];
  /** Number of steps of the broker's clock up to that moment. */
  readonly steps: number;
  /** Whether the partition was assigned to the sender at that moment. */
  readonly isOwners: boolean;
}

/** The position of a process in a log. */
export interface Reader {
  /** Offset of the next entry. */
  position: number;
  epoch: number;
  /** The reader is at the end of the log and waits for new records. */
  waiting: boolean;
  /** Number of steps of the broker's clock that a quickly returned beat of its own has covered. */
  steps: number;
}

/** The state of a group at its coordinator. */
export interface Group {
  readonly index: number;
  generation: number;
  /** The members by incarnation, in the order in which they joined. */
  readonly members: Map<string, Seat>;
  /** Per partition: the incarnation that owns it. */
  readonly owners: (string | undefined)[];
  /** Per partition: when its owner last changed. */
  readonly movedAt: Real[];
  /** Whether a rebalance is in progress. The count distinguishes rebalances. */
  rebalancing: boolean;
  rebalances: number;
  /** Until when the coordinator is unavailable. */
  awayUntil: Real;
  /** When the group was last deleted. */
  deletedAt: Real;
  /** Requested moves: partition → incarnation. */
  readonly wishes: Map<number, string>;
}

/** A member, as its coordinator knows it. */
export interface Seat {
  readonly node: number;
  readonly life: number;
  /** When its session expires, unless it sends a heartbeat. */
  deadlineAt: Real;
  /** When its timer fires, or fired last. */
  timerAt: Real;
  /** Whether the member has joined the current rebalance. */
  joined: boolean;
  request: Request;
}

/** Returns the offset after the last entry. */
export function endOf(log: Log): number {
  return log.start + log.entries.length;
}
