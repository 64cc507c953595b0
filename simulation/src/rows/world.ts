import type { Instant } from '@leadership/core/adapter';
import {
  type Input,
  type LeaseRules,
  type MemberState,
  type MemoryLog,
  RowStore,
} from '@leadership/core/internal/sessions';
import type { Real } from '../kernel/clock.ts';
import type { ExclusiveJudge, TermRecord } from '../kernel/judge.ts';
import type { NetworkConditions } from '../kernel/network.ts';
import { type World as CommonWorld, Process } from '../kernel/world.ts';
import type { Checked } from '../relation/guards.ts';
import type { Knowledge } from '../relation/knowledge.ts';
import { Pace } from './bounded.ts';
import type { Denial } from './denial.ts';
import type { GuardRules, Link } from './guard.ts';
import type { HiddenLosses } from './hidden-loss.ts';
import type { LogReader, WorldLog } from './log.ts';
import type { Scenario } from './scenario.ts';

/** A term, as its host knows it. */
export interface Term {
  readonly token: bigint;
}

/** Work that its host has given up, and that may still run. */
export interface Straggler {
  /** When it ends at the latest, by the clock of the process. */
  readonly until: number;
  /** The session of its term. */
  readonly session: string | undefined;
}

/** A copy of the store that was superseded. */
export interface OldCopy {
  readonly store: RowStore;
  readonly until: Real;
}

/** The log of a leader that was superseded. */
export interface OldLog {
  readonly log: MemoryLog;
  readonly until: Real;
}

/** A text of a row, as a process received it. */
export interface ReceivedText {
  readonly text: string | null;
  readonly at: number;
  /** When a notification showed it before it was read; or when it was read. */
  readonly shownAt: number;
}

/** One process: a member and its host. */
export class Node extends Process {
  readonly rules: LeaseRules;
  state!: MemberState;
  /** What the check of its steps knows. */
  known!: Knowledge;
  /** The terms that have not ended, by partition. */
  readonly terms: Map<number, Term> = new Map();
  readonly stragglers: Map<number, Straggler> = new Map();
  /** Until when work of earlier incarnations of this process may run, by partition. */
  readonly leftWork: Map<number, Real> = new Map();
  /** Its connection to the guard, and the socket on which it listens. */
  link: Link | undefined;
  /** The deadline of all terms, by the clock of the process. */
  until: Instant = Number.NEGATIVE_INFINITY as Instant;
  /** The reading that its machine wants next. */
  wakeAt: Real = Number.POSITIVE_INFINITY;
  /** The wakes in a row that have asked for another one at once. */
  hurried = 0;
  /** Until when no request, and no answer, passes. */
  cutOut: Real = 0;
  cutIn: Real = 0;
  /** The changes that the store does not make for it. */
  denial: Denial | undefined;
  /** Until when the answers to its changes are lost. */
  unansweredUntil: Real = 0;
  /** Until when its calls of the second place fail. */
  noFloorUntil: Real = 0;
  oldCopy: OldCopy | undefined;
  /** The pace of its exchanges. */
  pace: Pace = new Pace();
  /** The texts that the process has received of sessions, and when, by its clock. */
  readonly arrivals: Map<string, ReceivedText> = new Map();
  /** When each text was shown first by a notification. */
  readonly shown: Map<string, number> = new Map();
  /** The partitions that it has claimed before a better member. */
  readonly outOfTurn: Set<number> = new Set();
  /** The incarnations that it lists as present. */
  listed: ReadonlySet<string> = new Set();
  /** Its reader of the log, and the log of the leader that was superseded, if it still reads that. */
  reader: LogReader | undefined;
  oldLog: OldLog | undefined;

  constructor(index: number, time: { readonly now: Real }, leaseMs: number, rules: LeaseRules) {
    super(index, time, leaseMs);
    this.rules = rules;
  }
}

/** The store, which records who owns a partition since when. */
export class RecordedStore extends RowStore {
  readonly #note: (name: string, text: string | null) => void;
  readonly #showsLosses: boolean;

  constructor(note: (name: string, text: string | null) => void, showsLosses: boolean) {
    super();
    this.#note = note;
    this.#showsLosses = showsLosses;
  }

  override isKnown(since: unknown): boolean {
    return !this.#showsLosses || super.isKnown(since);
  }

  override goBackTo(copy: RowStore): void {
    const before = new Map(this.rows);
    super.goBackTo(copy);
    this.#noteReplaced(before);
  }

  override restore(rows: Iterable<readonly [name: string, text: string]>): void {
    const before = new Map(this.rows);
    super.restore(rows);
    this.#noteReplaced(before);
  }

  override put(name: string, text: string | null): void {
    super.put(name, text);
    this.#note(name, text);
  }

  #noteReplaced(before: ReadonlyMap<string, string>): void {
    for (const name of new Set([...before.keys(), ...this.rows.keys()])) {
      const text = this.rows.get(name);
      if (text !== before.get(name)) this.#note(name, text ?? null);
    }
  }
}

/** That a session owns a partition since then; an empty name: none does. */
export interface OwnerRecord {
  readonly session: string;
  readonly since: Real;
  /** Whether the owner before has released the partition to it. */
  readonly isHandedOver: boolean;
}

/** The terms of one partition, as the judge has seen them. */
export interface PartitionRecord extends TermRecord {
  /** The nodes that have a term of it, also one whose deadline has passed. */
  readonly holders: Set<Node>;
  /** The version of the record that a person wrote last, with a token that leaves no room. */
  spoiled: { readonly life: string; readonly version: number } | undefined;
}

export interface Judge extends ExclusiveJudge {
  readonly records: readonly PartitionRecord[];
  terms: number;
  /** The checks of steps against the text of the rules, and the first guard that did not hold. */
  readonly checked: Checked;
  refuted: { readonly guard: string; readonly steps: number } | undefined;
  settled: number;
  /** The incarnations that have ended, and when. */
  readonly gone: Map<string, Real>;
}

/** What happens to the member of a node, whether only its machine runs or its whole source. */
export interface Members {
  start(node: Node): void;
  /** Ends the process without warning. It starts again later. The others may learn of a proved death. */
  kill(node: Node, awayMs: number, isProved: boolean): void;
  close(node: Node): void;
  hasClosed(node: Node): boolean;
  resign(node: Node): void;
  /** Judges the members after a quiet time. */
  judgeSettled(): void;
}

export interface World extends CommonWorld<Node> {
  readonly scenario: Scenario;
  network: NetworkConditions;
  /** The members, and the guard after them. */
  readonly nodes: readonly Node[];
  readonly judge: Judge;
  /** The carrier of requests: they arrive whether their sender still runs or not. */
  readonly wire: Process;
  readonly store: RowStore;
  /** The second place of the greatest token, of a world that has one. */
  readonly floor: { token: bigint };
  /** The log, in place of the store. */
  readonly log: WorldLog | undefined;
  /** The owners of each partition, the latest last. */
  readonly owners: readonly OwnerRecord[][];
  readonly storeRules: StoreRules;
  readonly guardRules: GuardRules;
  /** The connections that the present life of the guard knows. */
  readonly links: Link[];
  /** Whether a second look at everything follows each wake, which must find nothing. */
  readonly looksTwice: boolean;
  /** The share of the answers after which a member forgets to look at a partition: a defect. */
  readonly forgetsShare: number;
  /** Earlier states of the rows, of which a restored store has one. */
  readonly past: (readonly (readonly [string, string])[])[];
  /** The changes that the store loses, and hides. */
  readonly hidden: HiddenLosses;
  /** Feeds an input to the machine of a node. */
  readonly feed: (world: World, node: Node, input: Input) => void;
  readonly members: Members;
  /** Whether faults rest, so that the members settle. */
  isCalm: boolean;
}

/** The promises of a store. Mutants replace single ones. */
export interface StoreRules {
  /** M1: Whether the renewal and the reading are one request to one copy. */
  readonly isOneRequest: boolean;
  /** M1: Whether a copy answers only changes that cannot be lost: with its replicas (`WAIT` of Redis). */
  readonly awaitsReplicas: boolean;
  /** M5: Whether a change is made only if its row has the expected text. */
  readonly comparesText: boolean;
  /** M7: Whether changes are made in the history only that their sender has read. */
  readonly comparesHistory: boolean;
  /** M7: Whether a reading after the changes counts only in the history that they were made in. */
  readonly comparesAgain: boolean;
  /** M6: Whether a position shows that the store has lost changes since. */
  readonly showsLosses: boolean;
  /** T1: Whether the second place keeps what it acknowledges, and outlives the rows. */
  readonly keepsFloor: boolean;
  readonly floorOutlivesRows: boolean;
  /** M6: Whether a store that may lose changes says so to those who read it for the first time. */
  readonly tellsLosses: boolean;
}

export const storeRules: StoreRules = {
  isOneRequest: true,
  awaitsReplicas: true,
  comparesText: true,
  comparesHistory: true,
  comparesAgain: true,
  tellsLosses: true,
  showsLosses: true,
  keepsFloor: true,
  floorOutlivesRows: true,
};
