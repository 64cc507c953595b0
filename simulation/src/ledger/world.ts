// The parts of the simulated world. They are plain mutable data, which the functions in this folder
// change.

import type { LedgerRecord } from '@leadership/core/adapter';
import type {
  LedgerRules,
  MemberConfig,
  PartitionState,
  PinState,
} from '@leadership/core/internal/ledger';
import type { Clock, Local, Real } from '../kernel/clock.ts';
import type { Random } from '../kernel/random.ts';
import type { Timeline } from '../kernel/timeline.ts';
import type { Happening } from './happening.ts';
import type { HostRules } from './host-rules.ts';
import type { Judge } from './judge.ts';
import type { Scenario } from './scenario.ts';

export interface World extends Timeline<Happening> {
  readonly scenario: Scenario;
  readonly rules: Rules;
  readonly random: Random;
  readonly nodes: readonly Node[];
  readonly store: Store;
  readonly judge: Judge;
  /** The rotation of the list of present members, per partition. */
  readonly turns: number[];
  /** Per partition: the indexes of the nodes, best first, as sent last. */
  readonly ranks: (readonly number[])[];
  /** When the placement last changed. */
  rankedAt: Real;
}

/** The rules of a world. The ledger rules may differ per node. */
export interface Rules {
  readonly ledger: (node: number) => LedgerRules;
  readonly host: HostRules;
}

/** One process. Its state is the one that `step` returned last. */
export interface Node {
  readonly index: number;
  readonly rules: LedgerRules;
  readonly clock: Clock;
  /** Increases when the process stops. */
  life: number;
  alive: boolean;
  bornAt: Real;
  campaigning: boolean;
  pausedUntil: Real;
  readsCutUntil: Real;
  writesCutUntil: Real;
  writesDeniedUntil: Real;
  /** Until when the expiry of a lease counts as the consequence of a fault. */
  troubledUntil: Real;
  self: MemberConfig;
  pin: PinState;
  pinned: PartitionState['pin'];
  /** Per partition. */
  partitions: PartitionState[];
  beliefs: Belief[];
  /** Per lane: when the earliest scheduled wake-up fires. */
  wakes: Real[];
  /** Per lane: when the state machine needs a wake-up, by the node's clock. */
  dues: number[];
  /** Per log. */
  readers: Reader[];
  /**
   * Per lane: the offset up to which a reread has covered the log. The reader skips the lane's
   * records below it.
   */
  readTo: number[];
  /**
   * Per lane: the record that was in effect when the position was lost, until the reader reaches
   * the end again.
   */
  rested: (LedgerRecord | null)[];
  /** Per lane: whether the reader has found that record again. */
  foundAgain: boolean[];
  /** The records of the last poll, per lane. */
  seen: readonly (LedgerRecord | null)[] | undefined;
  /** The lanes whose register the state machine has asked to read again. */
  readonly rereads: Set<number>;
  /** Number of the connection that polls. */
  polls: number;
  askedAt: Local;
}

/** What a host reports to its user about one partition. */
export interface Belief {
  token: bigint;
  until: Local;
  /** How the host ended this belief. The clock may end the belief earlier. */
  ended: 'no' | 'released' | 'fenced';
  /** When the drain began. */
  drainingSince: Local | undefined;
  /** Whether the work has settled by itself. */
  settled: boolean;
  beganAt: Real;
  /** Whether the member itself ended the term: it resigned, or stopped campaigning. */
  givenUp: boolean;
}

export interface Store {
  /** The greatest token in the second place. */
  floor: bigint;
  readonly logs: readonly Log[];
  /** Per lane: the index of its log. */
  readonly logOf: readonly number[];
  /** Per lane. */
  readonly registers: (LedgerRecord | null)[];
  /** Per lane: the versions that the register may return to, oldest first. */
  readonly versions: LedgerRecord[][];
}

export interface Log {
  entries: Entry[];
  /** Offset of the first entry. */
  start: number;
  /** Increases whenever records are lost, so that readers start again (L11). */
  epoch: number;
  readonly lanes: readonly number[];
}

export interface Entry {
  readonly lane: number;
  readonly record: LedgerRecord;
  /**
   * The record that the first reader of this entry found in effect. All others must find the same
   * one (L1).
   */
  agreed: string | null | undefined;
}

/** The position of a process in a log. */
export interface Reader {
  /** Offset of the next record. */
  position: number;
  epoch: number;
  /** Offset at which the reply in transit ends. */
  replyEnd: number;
  /** The reader is at the end of the log and waits for new records. */
  waiting: boolean;
  /** The reader has not reached the end since its last restart. */
  unread: boolean;
  /** The contents of a reply in transit whose records the log no longer has. */
  held: readonly Entry[] | undefined;
  askedAt: Local;
  /** Number of requests sent. A reply to an earlier request is ignored. */
  asked: number;
}

/** The lane of the pin. Partition p has lane p + 1. */
export const pinLane = 0;

/** Returns the offset after the last entry. */
export function endOf(log: Log): number {
  return log.start + log.entries.length;
}
