// The data of a simulated world of the ledger lease: its processes, its store and its judge.
import type { Instant } from '@leadership/core/adapter';
import {
  type LedgerInput,
  type LedgerRecord,
  type LedgerRules,
  type MemberConfig,
  newPin,
  type Observation,
  type PartitionState,
  type PinState,
  pinRegister,
  type WriteOutcome,
} from '@leadership/core/internal/ledger';
import type { Real, RealTime } from '../kernel/clock.ts';
import type { Judge } from '../kernel/judge.ts';
import { defined } from '../kernel/random.ts';
import type { Handler } from '../kernel/timeline.ts';
import { type World as CommonWorld, Process } from '../kernel/world.ts';
import type { Checked } from '../relation/guards.ts';
import { Knowledge } from '../relation/knowledge.ts';
import { textPaces } from '../relation/paces.ts';
import type { GuardRules, StoreRules } from './rules.ts';
import type { Scenario } from './scenario.ts';

export interface World extends CommonWorld<Node> {
  readonly scenario: Scenario;
  readonly storeRules: StoreRules;
  readonly guardRules: GuardRules;
  readonly store: Store;
  readonly storeKind: StoreKind;
  /** Applies an input to the state machine of a slot: the pin or a partition. */
  readonly feed: Handler<World, Node, LedgerInput>;
  readonly judge: LedgerJudge;
  /** The connections that the present life of the guard knows. */
  readonly links: Link[];
  /** The rotation of the list of present members, per partition. */
  readonly rotations: number[];
  /** Per partition: the indexes of the nodes, best first, as sent last. */
  readonly ranks: (readonly number[])[];
  /** When the placement last changed. */
  rankedAt: Real;
}

/** The judge, and the check of every step against the text of the rules. */
interface LedgerJudge extends Judge {
  readonly checked: Checked;
  /** The first guard that did not hold, and the number of steps until then. */
  refuted: { readonly guard: string; readonly steps: number } | undefined;
}

/** One process. Its state is the one that `step` returned last. */
export class Node extends Process {
  readonly rules: LedgerRules;
  /** Its connection to the guard, and the socket on which it listens. */
  link: Link | undefined = undefined;
  readsCutUntil: Real = 0;
  writesCutUntil: Real = 0;
  writesDeniedUntil: Real = 0;
  self: MemberConfig;
  pin: PinState;
  pinned: PartitionState['pin'] = 'unknown';
  /** Per partition. */
  partitions: PartitionState[] = [];
  /** What the check of its steps knows: of the pin, and per partition. */
  knownPin: Knowledge;
  known: Knowledge[] = [];
  /** Per log. */
  readers: Reader[] = [];
  /**
   * Per slot: the offset up to which a reread has covered the log. The reader skips the slot's
   * records below it.
   */
  readTo: number[] = [];
  /**
   * Per slot: the record that was in effect when the position was lost, until the reader reaches
   * the end again.
   */
  rested: (LedgerRecord | null)[] = [];
  /** Per slot: whether the reader has found that record again. */
  foundAgain: boolean[] = [];
  /** The records of the last poll, per slot. */
  seen: Snapshot | undefined = undefined;
  /** The slots whose register the state machine has asked to read again. */
  readonly rereads: Set<number> = new Set();
  /** Number of the connection that polls. */
  polls = 0;
  askedAt: Instant;

  constructor(scenario: Scenario, index: number, rules: LedgerRules, time: RealTime) {
    const self = configOf(scenario, index, '', 0);
    super(index, time, self.thresholdMs);
    this.rules = rules;
    this.self = self;
    this.askedAt = this.clock.now();
    this.pin = newPin(self, this.askedAt);
    this.knownPin = new Knowledge(self, pinRegister, this.askedAt, textPaces);
  }
}

/** The member name of the guard. */
const guardName = 'guard';

/** Returns the configuration of one life of a process. */
export function configOf(
  scenario: Scenario,
  index: number,
  incarnation: string,
  jitter: number,
): MemberConfig {
  const { shape, asks: hasLeaseRequests, hasFloor = false, members, partitions } = scenario;
  const { misconfigured, thresholdsMs, thresholdMsMax, driftRate } = scenario;
  // Written out, because reading an object that was spread is slow.
  return {
    group: 'g',
    member: members[index] ?? guardName,
    incarnation,
    partitions: misconfigured?.[index] ?? partitions,
    thresholdMs: defined(thresholdsMs[index % thresholdsMs.length]),
    thresholdMsMax,
    driftRate,
    metadata: { node: String(index) },
    shape,
    hasLeaseRequests,
    hasFloor,
    jitter,
  };
}

/** The connection of one incarnation to the guard, and the socket on which it listens. */
export interface Link {
  /** The index of the node. */
  readonly member: number;
  readonly incarnation: string;
  /** What the guard knows of the connection. */
  seen: Omit<Observation, 'address' | 'process'>;
  /** Whether the process has closed the connection by mistake, whatever the guard has read. */
  isClosed: boolean;
  /** How the address answers while the process lives. */
  address: 'accepts' | 'refuses' | 'missing';
  isProcessGone: boolean;
  /** Whether the member has said goodbye, whatever the guard has read (L14). */
  saidGoodbye: boolean;
}

/** How members read and write a kind of store. */
export interface StoreKind {
  /** Processes a write that reaches the store. */
  write(world: World, slot: number, record: LedgerRecord): WriteOutcome;
  /** Starts to read, in a new life. */
  begin(world: World, node: Node): void;
  /** Replaces the connection of a reader, which then reads everything again (L11). */
  reconnect(world: World, node: Node): void;
  /** Reads one register again, as its state machine requested (L12). */
  reread(world: World, node: Node, slot: number): void;
  /** Returns the current record of a slot. */
  current(world: World, slot: number): LedgerRecord | null;
}

/** The current record of every register, as returned by one poll. */
export type Snapshot = readonly (LedgerRecord | null)[];

export interface Store {
  /** The greatest token in the second place. */
  floor: bigint;
  readonly logs: readonly Log[];
  /** Per slot: the index of its log. */
  readonly logOf: readonly number[];
  /** Per slot. */
  readonly registers: (LedgerRecord | null)[];
  /** Per slot: the versions that the register may return to, oldest first. */
  readonly versions: LedgerRecord[][];
}

export interface Log {
  readonly index: number;
  entries: Entry[];
  /** Offset of the first entry. */
  start: number;
  /** Increases whenever records are lost, so that readers start again (L11). */
  epoch: number;
  readonly slots: readonly number[];
}

export interface Entry {
  readonly slot: number;
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
  askedAt: Instant;
  /** Number of requests sent. A reply to an earlier request is ignored. */
  asked: number;
}

/** The greatest token that a record can carry (T1). */
export const lastToken: bigint = 2n ** 63n - 1n;

/** The slot of the pin. Partition p has slot p + 1. */
export const pinSlot = 0;

/** Returns the offset after the last entry. */
export function endOf(log: Log): number {
  return log.start + log.entries.length;
}
