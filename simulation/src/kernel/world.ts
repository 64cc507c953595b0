// The data that the worlds of all protocols have in common, which the functions of the kernel and
// of the protocols change.
import type { LossReason } from '@leadership/core';
import type { Instant } from '@leadership/core/adapter';
import type { Belief } from '@leadership/core/internal/engine';
import { DriftingClock, type Real, type RealTime } from './clock.ts';
import type { Findings } from './findings.ts';
import { newHistory } from './history-hash.ts';
import { overridden } from './mutant.ts';
import type { NetworkConditions } from './network.ts';
import { newQueue } from './queue.ts';
import { type Random, randomFrom } from './random.ts';
import type { CommonScenario } from './scenario.ts';
import type { Addressee, Timeline } from './timeline.ts';

export interface World<Node extends Process = Process> extends Timeline {
  readonly scenario: CommonScenario;
  /** The conditions of the scenario, which every message reads. */
  readonly network: NetworkConditions;
  readonly random: Random;
  readonly nodes: readonly Node[];
  readonly judge: Findings;
  readonly hostRules: HostRules;
}

/**
 * The rules of the host (H), beside those in the production code. Each is a value of its own, so
 * that a mutant can replace exactly one.
 */
export interface HostRules {
  /** H4, H5: whether the host reports leadership now. */
  readonly believes: (belief: Belief) => boolean;
  /** H3: how long the host waits for work that drains. */
  readonly drainTimeoutMs: (configuredMs: number) => number;
  /** H3: whether a lease lapses whose work has not drained in time. */
  readonly lapses: boolean;
}

/** The rules of the protocol; tests replace single ones with mutants. */
const hostRules: HostRules = {
  believes: (belief) => belief.isLeading(),
  drainTimeoutMs: (ms) => ms,
  lapses: true,
};

/** Returns what a world of any protocol has before its first event, beside its processes and its judge. */
export function commonWorld<Scenario extends CommonScenario>(
  scenario: Scenario,
  seed: number,
  host?: Partial<HostRules>,
): Timeline & Pick<World, 'network' | 'random' | 'hostRules'> & { readonly scenario: Scenario } {
  return {
    queue: newQueue(),
    now: 0,
    history: newHistory(seed),
    scenario,
    network: scenario.network,
    random: randomFrom(seed),
    hostRules: overridden(hostRules, host),
  };
}

/**
 * One process. Each protocol adds the state of its member. A class, because the objects of a class
 * have one shape, and objects that were spread have many, which are slow to read (decision 0059).
 */
export class Process implements Addressee {
  readonly index: number;
  readonly clock: DriftingClock;
  /** T of the process. */
  readonly leaseMs: number;
  life = 0;
  alive = false;
  /** When the present life began. */
  startedAt: Real = 0;
  campaigning = true;
  pausedUntil: Real = 0;
  /** Until when the expiry of a lease counts as the consequence of a fault. */
  troubledUntil: Real = 0;
  incarnation = '';
  /** Per partition. */
  hosted: readonly HostedPartition[] = [];
  /** Per slot: when the earliest scheduled wake-up fires. */
  wakes: Real[] = [];
  /** Per slot: when the state machine needs a wake-up, by the clock of the process. */
  dues: number[] = [];

  constructor(index: number, time: RealTime, leaseMs: number) {
    this.index = index;
    this.clock = new DriftingClock(time);
    this.leaseMs = leaseMs;
  }
}

/** What the host of a process knows about one partition. */
export interface HostedPartition {
  readonly partition: number;
  readonly belief: Belief;
  /** Latest end of the belief in the latest term, by the clock of the process. */
  readonly until: number;
  /** The latest term. */
  readonly term: HostedTerm;
  /** Returns whether the host reports leadership to its user at this instant. */
  leads(): boolean;
  /** Processes a proof. Returns false if its term is over, which the machine is then told. */
  granted(token: bigint, until: Instant): boolean;
  /** Ends the term with that token once its work has drained (H2), or is late (H3). */
  drain(token: bigint): void;
  /** Ends the term: in order, or at once. */
  end(loss: LossReason | 'released'): void;
  /** Processes the end of the work of the term with that token. */
  settle(token: bigint): void;
}

/** A term, as its host remembers it. */
export interface HostedTerm {
  readonly token: bigint;
  /** Whether the work has settled by itself. */
  settled: boolean;
  /** How the host ended the term. The clock may end it earlier. */
  ended: 'no' | 'released' | 'fenced';
  /** When it ended: at that moment, or at its deadline. */
  endedAt: Real;
  /** Whether the member itself ended the term: it resigned, or stopped campaigning. */
  givenUp: boolean;
}
