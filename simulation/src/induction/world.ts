// The data of a simulated world of induction: its processes, brokers and logs.

import type { Beat } from '@leadership/induction';
import {
  type DeclinedPartitions,
  declinedPartitions,
  type InductionInput,
  type InductionRules,
  type InductionState,
  type MemberConfig,
} from '@leadership/induction/internal/protocol';
import type { DriftingClock, Real, RealTime } from '../kernel/clock.ts';
import type { CommonJudge } from '../kernel/judge.ts';
import { defined } from '../kernel/random.ts';
import type { Handler } from '../kernel/timeline.ts';
import { type World as CommonWorld, Process } from '../kernel/world.ts';
import type { Scenario } from './scenario.ts';

export interface World extends CommonWorld<Node> {
  readonly scenario: Scenario;
  readonly rules: InductionRules;
  readonly brokers: readonly Broker[];
  /** Per partition. */
  readonly logs: readonly Log[];
  readonly groups: readonly Group[];
  readonly judge: Judge;
  readonly member: MemberHandlers;
}

/**
 * The findings and counters so far. `needlessMoves` counts the terms of members to which the
 * coordinator had not assigned the partition, and `renewalGaps` the gaps without a leader after the
 * first term of a partition.
 */
export interface Judge extends CommonJudge {
  /**
   * Double leaders in a situation where an assumption of the guarantee did not hold (I5). They are
   * counted, but are not violations.
   */
  knownDoubleLeaders: number;
  /** The longest time with two leaders, and the longest without one. Milliseconds. */
  longestOverlapMs: number;
  longestGapMs: number;
  readonly overlapMsMax: number;
  /** Per group, then per partition. */
  readonly records: readonly (readonly PartitionRecord[])[];
}

/** The leaders of one partition, up to the instant `until`. */
export interface PartitionRecord {
  until: Real;
  ledMs: number;
  /** Since when no member leads, if one did before. */
  leaderlessSince: Real | undefined;
  isGapReported: boolean;
  /** The pairs of nodes that both lead. */
  pairs: readonly Pair[];
  readonly tokens: Map<string, bigint>;
}

/** Two nodes that both lead. */
export interface Pair {
  readonly nodes: readonly [Node, Node];
  readonly since: Real;
  isReported: boolean;
}

/** How a process handles what logs and coordinators send to it. */
interface MemberHandlers {
  /** Applies one input to one partition. The caller calls `arm` after its last input. */
  step(world: World, node: Node, partition: number, input: InductionInput): void;
  /** Schedules the next wake-up of a node: the earliest of its partitions. */
  arm(world: World, node: Node): void;
  /** Processes an assignment. */
  readonly assigned: Handler<World, Node, Assignment>;
  /** Processes the request of the coordinator to join again. */
  readonly rejoin: Handler<World, Node, undefined>;
}

/** The answer of a coordinator to one member. */
export interface Assignment {
  readonly partitions: ReadonlySet<number>;
  readonly generation: number;
  readonly alone: boolean;
  /** Number of the request to join that it answers. */
  readonly answers: number;
}

/** One process. Its state is the one that the last step returned. */
export class Node extends Process {
  readonly group: number;
  readsCutUntil: Real = 0;
  writesCutUntil: Real = 0;
  /** Until when the brokers refuse what the process writes. */
  writesRefusedUntil: Real = 0;
  coordinatorCutUntil: Real = 0;
  /** Until when the process reads more slowly than the others write. */
  starvedUntil: Real = 0;
  self: MemberConfig;
  /** Per partition, like the next three arrays. */
  partitions: InductionState[] = [];
  /** When the state machine needs a wake-up, by the clock of the process. */
  wakesAt: number[] = [];
  positions: Position[] = [];
  /**
   * Whether the partition was assigned to the sender when the beat that this node's belief rests on
   * was appended.
   */
  provenOwn: boolean[] = [];
  /** Whether the process has read everything, and waits for new records. */
  isWaiting = true;
  /** The beats sent last. Those of the same moment travel together. */
  request: { readonly sentAt: Real; readonly beats: Beat[] } = { sentAt: -1, beats: [] };
  /** The latest generation that the member knows; 0 before the first. */
  generation = 0;
  /** Number of requests to join. */
  joins = 0;
  /** Until when the member waits for the answer to a request to join. */
  joiningUntil: Real = 0;
  declined: ReadonlySet<number> = new Set();
  /** Whether it will join again because they have changed. */
  hasChanged = false;
  declines: DeclinedPartitions = declinedPartitions(0, () => undefined);

  constructor(scenario: Scenario, index: number, time: RealTime) {
    super(index, time, scenario.thresholdMs);
    this.group = index % scenario.groups;
    this.self = configOf(scenario, index, '');
  }
}

/** Returns the configuration of one life of a process. */
export function configOf(scenario: Scenario, index: number, incarnation: string): MemberConfig {
  const { groups, partitions, thresholdMs, driftRate, promise, beats, beatMs, numbered } = scenario;
  return {
    group: `g${index % groups}`,
    member: `m${index}`,
    incarnation,
    partitions,
    thresholdMs,
    driftRate,
    metadata: { node: String(index) },
    promise,
    beats,
    beatMs: groups * beatMs,
    numbered: numbered !== 'never',
    settles: true,
  };
}

/** The position of a process in a log. */
export interface Position {
  /** Offset of the next entry. */
  next: number;
  epoch: number;
  /** Until when the next reply for this partition is late. */
  lateUntil: Real;
  /** Number of steps of the broker's clock that a quickly returned beat of its own has covered. */
  steps: number;
}

/** A broker, whose clock stamps the records. */
export interface Broker {
  readonly clock: DriftingClock;
  /** Number of steps of its wall clock so far. */
  steps: number;
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
  /** Number of steps of the broker's clock up to that moment. */
  readonly steps: number;
  /** Whether the partition was assigned to the sender at that moment. */
  readonly isOwners: boolean;
}

/** The state of a group at its coordinator. */
export interface Group {
  readonly index: number;
  generation: number;
  /** The sessions by incarnation, in the order in which the members joined. */
  readonly sessions: Map<string, Session>;
  /** Per partition: the incarnation that owns it. */
  readonly owners: (string | undefined)[];
  /** Per partition: when its owner last changed. */
  readonly movedAt: Real[];
  /** Whether a rebalance is in progress. The count distinguishes rebalances. */
  rebalancing: boolean;
  rebalances: number;
  /** Until when no member can write, and the number of rebalances since that began. */
  refusedUntil: Real;
  refusedRebalances: number;
  /** Until when the coordinator is unavailable. */
  awayUntil: Real;
  /** When the group was last deleted. */
  deletedAt: Real;
  /** Requested moves: partition → incarnation. */
  readonly requestedMoves: Map<number, string>;
}

/** A member, as its coordinator knows it. */
export interface Session {
  readonly group: number;
  readonly node: number;
  readonly incarnation: string;
  /** When it expires, unless the member sends a heartbeat. */
  deadlineAt: Real;
  /** Whether the member has joined the current rebalance. */
  hasJoined: boolean;
  request: JoinRequest;
}

export interface JoinRequest {
  readonly declined: ReadonlySet<number>;
  /** Number of the request, counted per member. */
  readonly count: number;
}

/** Returns the offset after the last entry. */
export function endOf(log: Log): number {
  return log.start + log.entries.length;
}

/** Resolution of timers, as a share of T. */
const tickShare = 1 / 200;

/**
 * Returns the resolution of the timers of a process, in milliseconds. Partitions that are due at
 * about the same time therefore wake, and beat, together.
 */
export function tickMs({ leaseMs }: Node): number {
  return tickShare * leaseMs;
}

/** Returns whether the member and its coordinator can reach each other now. */
export function canReach({ now, groups }: World, { coordinatorCutUntil, group }: Node): boolean {
  return now >= coordinatorCutUntil && now >= defined(groups[group]).awayUntil;
}
