// What the simulated world consists of. Plain mutable data: the functions beside it move it along.
import type { Contender, LedgerRules, PartitionState, PinState } from '@leadership/core/engine';
import type { LedgerRecord } from '@leadership/core/ledger';
import type { Clock, Local, Real } from './clock.ts';
import type { Happening } from './happening.ts';
import type { HostRules } from './host-rules.ts';
import type { Judge } from './judge.ts';
import type { Random } from './random.ts';
import type { Scenario } from './scenario.ts';
import type { Timeline } from './timeline.ts';

export interface World extends Timeline<Happening> {
  readonly scenario: Scenario;
  readonly rules: Rules;
  readonly random: Random;
  readonly nodes: readonly Node[];
  readonly store: Store;
  readonly judge: Judge;
  /** How the placement ranks members, per lane: by how much the list of those present is turned. */
  readonly turns: number[];
  /** By partition: the nodes, best first, as they were told last. */
  readonly ranks: (readonly number[])[];
  /** When the placement last changed its mind. */
  rankedAt: Real;
}

/** The rules a world runs by; a node may have others than the rest. */
export interface Rules {
  readonly ledger: (node: number) => LedgerRules;
  readonly host: HostRules;
}

/** One process. Its engine's state is what `step` returned last. */
export interface Node {
  readonly index: number;
  readonly rules: LedgerRules;
  readonly clock: Clock;
  /** Grows with every death. */
  life: number;
  alive: boolean;
  bornAt: Real;
  campaigning: boolean;
  pausedUntil: Real;
  readsCutUntil: Real;
  writesCutUntil: Real;
  writesDeniedUntil: Real;
  /** Until when an expiry would be no surprise. */
  troubledUntil: Real;
  self: Contender;
  pin: PinState;
  pinned: PartitionState['pin'];
  /** By partition, as everything below that counts partitions. */
  partitions: PartitionState[];
  beliefs: Belief[];
  /** By lane: when the earliest wake-up that is on its way comes. */
  wakes: Real[];
  /** By lane: when the engine wants to be woken, by its own clock. */
  dues: number[];
  /** By log. */
  readers: Reader[];
  /** By lane: what was reread up to here need not be read again. */
  readTo: number[];
  /** By lane: what was in effect when the position was lost, until the end is read again. */
  rested: (LedgerRecord | null)[];
  /** By lane: whether that record was read again since. */
  foundAgain: boolean[];
  /** What the last poll brought, by lane. */
  seen: readonly (LedgerRecord | null)[] | undefined;
  /** The lanes of which the engine asked to read the register again. */
  readonly rereads: Set<number>;
  /** Which connection polls. */
  polls: number;
  askedAt: Local;
}

/** What a host tells its user about one partition. */
export interface Belief {
  token: bigint;
  until: Local;
  /** How belief in this term ended, if it was told so. The clock may end it before. */
  ended: 'no' | 'released' | 'fenced';
  /** When the drain began. */
  drainingSince: Local | undefined;
  /** Whether the work has come to its end by itself. */
  settled: boolean;
  beganAt: Real;
  /** Whether this member itself wanted the term to end: it resigned, or stopped campaigning. */
  givenUp: boolean;
}

export interface Store {
  readonly logs: readonly Log[];
  /** By lane. */
  readonly logOf: readonly number[];
  /** By lane. */
  readonly registers: (LedgerRecord | null)[];
  /** By lane: the versions a register may go back to, the latest last. */
  readonly versions: LedgerRecord[][];
}

export interface Log {
  entries: Entry[];
  /** The offset of the first entry. */
  start: number;
  /** Grows whenever something was lost: readers have to look again (L11). */
  epoch: number;
  readonly lanes: readonly number[];
}

export interface Entry {
  readonly lane: number;
  readonly record: LedgerRecord;
  /** What the first reader to come this far found in effect: all others must find the same (L1). */
  agreed: string | null | undefined;
}

/** A process reading a log. */
export interface Reader {
  /** The offset of the next record. */
  position: number;
  epoch: number;
  /** Up to where the reply that is on its way goes. */
  replyEnd: number;
  /** The store has nothing new, and answers once it has. */
  waiting: boolean;
  /** The end has not been told yet. */
  unread: boolean;
  /** What a reply carries that the log itself has lost meanwhile. */
  held: readonly Entry[] | undefined;
  askedAt: Local;
  /** How many replies were asked for: one that comes over a connection that is gone counts for nothing. */
  asked: number;
}

/** The lane of the pin. Partition p has lane p + 1. */
export const pinLane = 0;

/** The offset behind the last entry. */
export function endOf(log: Log): number {
  return log.start + log.entries.length;
}
