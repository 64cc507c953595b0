// What the simulated world of Nerio consists of. Plain mutable data: the functions beside it move it along.
import type { EdictStamp, Epoch, MemberState, NerioInput, NerioRules, Self, Start, Tenure, Verdict, Vow } from '@leadership/nerio/protocol';
import type { Clock, Local, Random, Real, Timeline } from '@leadership/testkit/world';
import type { Disk } from './disk.ts';
import type { Judge } from './judge.ts';
import type { FaultKind, Scenario } from './scenario.ts';

export interface World extends Timeline<Happening> {
  readonly scenario: Scenario;
  readonly rules: Rules;
  readonly random: Random;
  readonly nodes: readonly Node[];
  readonly judge: Judge;
  /** By sender and receiver: until when nothing gets through. */
  readonly cutUntil: Float64Array;
  /** What members know before anything has happened, by the configuration that they were started with. */
  readonly first: readonly Vow[];
  /** The epoch that runs, as far as anyone has been told. */
  epoch: Epoch;
  /** The last id given to an edict, a question or a search. */
  lastId: number;
}

/** The rules a world runs by; a node may have others than the rest. */
export interface Rules {
  readonly nerio: (node: number) => NerioRules;
  readonly host: HostRules;
}

/** The rules that hold outside the machine. */
export interface HostRules {
  /** H4, H5: whether who asks at `now` is told that it leads. */
  believes(belief: Belief, now: Local): boolean;
  /** N8: whether an edict may leave, looked at right before. */
  maySend(now: Local, until: Local): boolean;
  /** N2: whether a proof that has waited for the disk is one still, as the machine stands by then. */
  proves(tenure: Tenure, token: bigint): boolean;
  /** N13: what is on disk when a process starts. */
  keptVow(vow: Vow): Vow;
}

/** One process. The machine's state is what `step` returned last. */
export interface Node {
  readonly index: number;
  readonly rules: NerioRules;
  readonly clock: Clock;
  /** The configuration that it was started with. */
  config: number;
  self: Self;
  state: MemberState;
  /** Grows with every death. */
  life: number;
  alive: boolean;
  pausedUntil: Real;
  /** Until when an expiry would be no surprise. */
  troubledUntil: Real;
  campaigning: boolean;
  readonly disk: Disk;
  /** When the earliest wake-up that is on its way comes. */
  wakeAt: Real;
  /** When the machine wants to be woken, by its own clock. */
  dueAt: number;
  /** By partition, as everything below. */
  beliefs: Belief[];
  /** Since when it contends. */
  contendsSince: (Real | undefined)[];
  /** What this voter granted before it lost its memory, and until when it holds. */
  ghosts: (Ghost | undefined)[];
  /** What each incarnation has given back, as far as this voter has heard. */
  released: Map<string, Start>[];
}

/** A grant that its voter has forgotten. */
export interface Ghost {
  readonly incarnation: string;
  readonly epoch: number;
  readonly until: Real;
}

/** What a host tells its user about one partition. */
export interface Belief {
  token: bigint;
  until: Local;
  ended: 'no' | 'released' | 'fenced';
  /** Whether the work has come to its end by itself. */
  settled: boolean;
  /** Whether this member itself wanted the term to end. */
  givenUp: boolean;
}

/** An edict on its way out. */
export interface Publication {
  readonly stamp: EdictStamp;
  readonly until: Local;
}

/** All of one shape, so that the loop over them stays fast. */
interface Shape<Kind extends string, Cargo> {
  readonly kind: Kind;
  readonly node: number;
  /** Which life of that node: a restarted process gets nothing that was meant for the one before. */
  readonly life: number;
  readonly cargo: Cargo;
}

/** What can happen in the world. */
export type Happening =
  | Shape<'heard', NerioInput>
  /** When it was to come: one that another has overtaken is void. */
  | Shape<'wake', number>
  /** Writes that hung are done. */
  | Shape<'written', undefined>
  | Shape<'birth', undefined>
  /** It meets that node, or finds that it cannot (R4). */
  | Shape<'meeting', number>
  /** It refuses to take part: its process ends (R4). */
  | Shape<'refusal', undefined>
  | Shape<'settled', readonly [partition: number, token: bigint]>
  | Shape<'timed-out', readonly [partition: number, token: bigint]>
  | Shape<'publish', Publication>
  | Shape<'rely', Verdict>
  | Shape<'fault', FaultKind>;
