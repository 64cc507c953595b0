// The parts of the simulated world of Nerio. They are plain mutable data, which the functions in
// this folder change.
import type {
  EdictStamp,
  Epoch,
  HardState,
  LeaseState,
  MemberState,
  NerioInput,
  NerioRules,
  Self,
  Start,
  Verdict,
} from '@leadership/nerio/internal/protocol';
import type { Clock, Local, Real } from '../kernel/clock.ts';
import type { Random } from '../kernel/random.ts';
import type { Timeline } from '../kernel/timeline.ts';
import type { Disk } from './disk.ts';
import type { Judge } from './judge.ts';
import type { FaultKind, Scenario } from './scenario.ts';

export interface World extends Timeline<Happening> {
  readonly scenario: Scenario;
  readonly rules: Rules;
  readonly random: Random;
  readonly nodes: readonly Node[];
  readonly judge: Judge;
  /** Per sender and receiver: until when all messages are lost. */
  readonly cutUntil: Float64Array;
  /** The initial hard state of each configuration. */
  readonly first: readonly HardState[];
  /** The latest epoch that any member has entered. */
  epoch: Epoch;
  /** The last id of an edict, a verification or a search. */
  lastId: number;
}

/** The rules of a world. The protocol rules may differ per node. */
export interface Rules {
  readonly nerio: (node: number) => NerioRules;
  readonly host: HostRules;
}

/** The rules outside the state machine. */
export interface HostRules {
  /** H4, H5: whether the host reports leadership at `now`. */
  believes(belief: Belief, now: Local): boolean;
  /** N8: whether an edict may be sent. Checked right before sending. */
  maySend(now: Local, until: Local): boolean;
  /** N2: whether a proof that waited for the disk is still valid in the current state. */
  proves(tenure: LeaseState, token: bigint): boolean;
  /** N13: the hard state that a process finds on disk at its start. */
  keptVow(vow: HardState): HardState;
}

/** One process. Its state is the one that `step` returned last. */
export interface Node {
  readonly index: number;
  readonly rules: NerioRules;
  readonly clock: Clock;
  /** Index of the configuration that the process started with. */
  config: number;
  self: Self;
  state: MemberState;
  /** Increases when the process stops. */
  life: number;
  alive: boolean;
  pausedUntil: Real;
  /** Until when the expiry of a lease counts as the consequence of a fault. */
  troubledUntil: Real;
  campaigning: boolean;
  readonly disk: Disk;
  /** When the earliest scheduled wake-up fires. */
  wakeAt: Real;
  /** When the state machine needs a wake-up, by the node's clock. */
  dueAt: number;
  /** Per partition, like all fields below. */
  beliefs: Belief[];
  /** Since when the node campaigns. */
  contendsSince: (Real | undefined)[];
  /** The last frame sent to each node. A message of the same moment may join it. */
  readonly lastFrames: (Frame | undefined)[];
  /** Grants of previous lives of this voter that are still valid. */
  ghosts: (Ghost | undefined)[];
  /** The latest release of each incarnation that this voter has received. */
  released: Map<string, Start>[];
}

/** A grant of a previous life. */
export interface Ghost {
  readonly incarnation: string;
  readonly epoch: number;
  readonly until: Real;
}

/** What a host reports to its user about one partition. */
export interface Belief {
  token: bigint;
  until: Local;
  ended: 'no' | 'released' | 'fenced';
  /** Whether the work has settled by itself. */
  settled: boolean;
  /** Whether the member itself ended the term. */
  givenUp: boolean;
}

/** An edict before it is sent. */
export interface Publication {
  readonly stamp: EdictStamp;
  readonly until: Local;
}

/** Messages that travel together. */
interface Frame {
  readonly sentAt: Real;
  /** Life of the receiver. */
  readonly life: number;
  readonly inputs: NerioInput[];
}

/** The common shape of all events, so that the event loop stays monomorphic and fast. */
interface Shape<Kind extends string, Cargo> {
  readonly kind: Kind;
  readonly node: number;
  /**
   * Life of that node. A restarted process ignores events that were addressed to its previous life.
   */
  readonly life: number;
  readonly cargo: Cargo;
}

/** The events of the world. */
export type Happening =
  | Shape<'heard', readonly NerioInput[]>
  /** The scheduled time. A wake-up that a later one has replaced is ignored. */
  | Shape<'wake', number>
  /** The hanging writes complete. */
  | Shape<'written', undefined>
  | Shape<'birth', undefined>
  /** A connection attempt to the node with that index ends (R4). */
  | Shape<'meeting', number>
  /** The node refuses to take part, and its process ends (R4). */
  | Shape<'refusal', undefined>
  | Shape<'settled', readonly [partition: number, token: bigint]>
  | Shape<'timed-out', readonly [partition: number, token: bigint]>
  | Shape<'publish', Publication>
  | Shape<'rely', Verdict>
  | Shape<'fault', FaultKind>;
