// What the simulated world of induction consists of. Plain mutable data: the functions beside it move it along.
import type { Inductee, InductionRules, InductionState } from '@leadership/core/engine';
import type { Beat } from '@leadership/core/induction';
import type { Clock, Local, Real } from '../clock.ts';
import type { Random } from '../random.ts';
import type { Timeline } from '../timeline.ts';
import type { Happening, Request } from './happening.ts';
import type { Judge } from './judge.ts';
import type { InductionScenario } from './scenario.ts';

export interface World extends Timeline<Happening> {
  readonly scenario: InductionScenario;
  readonly rules: InductionRules;
  readonly random: Random;
  readonly nodes: readonly Node[];
  /** Whose clocks stamp what is appended. */
  readonly brokers: readonly Clock[];
  /** By partition. */
  readonly logs: readonly Log[];
  /** By group. */
  readonly groups: readonly Group[];
  readonly judge: Judge;
}

/** One process. Its engine's state is what the last step returned. */
export interface Node {
  readonly index: number;
  readonly group: number;
  readonly clock: Clock;
  /** Grows with every death. */
  life: number;
  alive: boolean;
  campaigning: boolean;
  pausedUntil: Real;
  readsCutUntil: Real;
  writesCutUntil: Real;
  coordinatorCutUntil: Real;
  /** Until when it reads more slowly than others write. */
  starvedUntil: Real;
  self: Inductee;
  /** By partition, as everything below. */
  partitions: InductionState[];
  beliefs: Belief[];
  readers: Reader[];
  /** When the earliest wake-up that is on its way comes. */
  wakes: Real[];
  /** When the engine wants to be woken, by its own clock. */
  dues: number[];
  /** Whether the beat that this node's belief rests upon was appended while the partition was its own. */
  provenOwn: boolean[];
  /** The decision of the coordinator that it knows of; 0 before the first. */
  generation: number;
  /** How often it has asked to join. */
  joins: number;
  /** Until when it waits for the answer. */
  joiningUntil: Real;
  readonly declined: Set<number>;
}

/** What a host tells its user about one partition. */
export interface Belief {
  token: bigint;
  until: Local;
  /** Whether it was told that this term is over. The clock may end it before. */
  ended: boolean;
  settled: boolean;
}

/** A partition's log. */
export interface Log {
  entries: Entry[];
  /** The offset of the first entry. */
  start: number;
  /** Which broker leads it. */
  broker: number;
  /** Grows with every new leader. */
  epoch: number;
  /** Until when nobody leads it. */
  downUntil: Real;
}

/** A beat that was appended. */
export interface Entry {
  readonly beat: Beat;
  readonly stampedMs: number;
  readonly epoch: number;
  readonly at: Real;
  /** What each node's clock showed then. */
  readonly locals: readonly Local[];
  /** How often the broker's clock had stepped by then. */
  readonly steps: number;
  /** Whether the partition was the sender's then, by the coordinator's word. */
  readonly isOwners: boolean;
}

/** A process reading a log. */
export interface Reader {
  /** The offset of the next entry. */
  position: number;
  epoch: number;
  /** There is nothing new, and the broker answers once there is. */
  waiting: boolean;
  /** Of how many steps of the broker's clock its own beats have told it, those that came back quickly. */
  steps: number;
}

/** A group of members, as its coordinator knows it. */
export interface Group {
  readonly index: number;
  generation: number;
  /** Incarnation → what is known of the member. In the order of their coming. */
  readonly members: Map<string, Seat>;
  /** By partition: the incarnation it is assigned to. */
  readonly owners: (string | undefined)[];
  /** By partition: when that was decided anew. */
  readonly movedAt: Real[];
  /** Whether the members are asked to join anew, and since when; the count tells one rebalance from the next. */
  rebalancing: boolean;
  rebalances: number;
  /** Until when the coordinator is away. */
  awayUntil: Real;
  /** When the group was deleted last. */
  deletedAt: Real;
  /** Partition → incarnation that is to have it, by an operator's or a chance's word. */
  readonly wishes: Map<number, string>;
}

/** A member, as its coordinator knows it. */
export interface Seat {
  readonly node: number;
  readonly life: number;
  /** When its session is over, unless it is heard of. */
  deadlineAt: Real;
  /** Whether it has joined the rebalance that is going on. */
  joined: boolean;
  request: Request;
}

/** The offset behind the last entry. */
export function endOf(log: Log): number {
  return log.start + log.entries.length;
}
