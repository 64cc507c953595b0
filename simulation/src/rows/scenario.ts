import type { Bounds } from '../kernel/bounds.ts';
import {
  type CommonScenario,
  changedRates,
  type Size,
  scaled as scaledCommon,
} from '../kernel/scenario.ts';

/** The faults of a world of sessions over rows. */
export type FaultKind =
  | 'restart'
  | 'pause'
  | 'cut'
  | 'leave'
  | 'resign'
  | 'drift'
  | 'wall-step'
  | 'row-removed'
  | 'history-lost'
  /** The store loses its newest changes, and no position shows it. */
  | 'loss-hidden'
  | 'old-copy'
  | 'muted'
  /** The store answers the readings of a member, or of all, and makes no change, or not all. */
  | 'read-only'
  /** The store makes the changes of a member, and answers only its readings. */
  | 'unanswered'
  | 'garbage'
  | 'newer-kind'
  /** Somebody writes a row under the name of a session that a member opens next (M2). */
  | 'next-session'
  /** Somebody edits the row of a partition so that it has another owner, or none (M5). */
  | 'edited-row'
  /** Somebody edits a row so that its token leaves no room for a later one (T1). */
  | 'hostile-token'
  | 'leader-changed'
  | 'recreated'
  | 'wrong-copy'
  | 'prefix-lost'
  /** Somebody lets the brokers compact the log: they remove records in it, and refuse new ones. */
  | 'compacted'
  | 'wiped'
  | 'no-floor'
  /** A living process closes its connection to the guard by mistake (L15). */
  | 'close-connection'
  /** A living process closes the socket by mistake on which it listens. */
  | 'close-listener'
  /** The file of that socket is deleted. */
  | 'delete-socket'
  /** A living process closes both by mistake, and notices it at once (L15). */
  | 'expose'
  /** A living process opens a connection to the guard, and closes it without naming itself. */
  | 'stray'
  /** The guard closes a connection itself. */
  | 'hang-up';

/** The conditions of a world. */
export interface Scenario extends CommonScenario<FaultKind> {
  readonly nodes: number;
  /** T, in milliseconds; with `mixedThresholds` the longest. */
  readonly thresholdMs: number;
  /** Faults strike for a while, and then rest for a while, so that the members settle. In T. */
  readonly roughThresholds: number;
  readonly calmThresholds: number;
  /** Whether the members have different T. */
  readonly mixedThresholds: boolean;
  /** Whether the members are processes of one member, by name. */
  readonly areTwins: boolean;
  /** Whether the store reads first and changes then. */
  readonly readsFirst: boolean;
  /** Whether such a store reads once more after its changes. */
  readonly readsAgain: boolean;
  /** Whether the reader follows the store: each change is made at an instant of its own, and then it reads. */
  readonly readsAfter: boolean;
  /** Whether nothing notifies members, so that they only poll. */
  readonly isSilent: boolean;
  /** Whether the rows are a log that each process reads. */
  readonly isLog: boolean;
  /** The records of a log after which one of the members appends a copy of the rows. */
  readonly copyEvery: number;
  /** The number of changes in one exchange. */
  readonly changesMax: number;
  /** Whether the store keeps the greatest token in a second place (T1). */
  readonly hasFloor: boolean;
  /** Whether every member learns of the death of another process at once, with proof (M10). */
  readonly isGuarded: boolean;
  /** Whether a guard observes the members, and deposes the dead (L13). It never leads. */
  readonly hasGuard: boolean;
  /** Whether an observer watches the members, and it is judged whom each of them lists as present. */
  readonly isWatched: boolean;
  /** The greatest share of time without a leader, where it is judged. */
  readonly leaderlessShareMax: number;
  /** The limits of the other counters, where they are judged: per hour and partition. */
  readonly bounds?: Pick<Bounds, 'needlessMovesPerHour' | 'renewalGapsPerHour'>;
  /** The number of partitions of which the last member is configured by mistake (R3). */
  readonly otherPartitions?: number;
  /**
   * The greatest number of partitions of each member, in turn (M13); 0: that member has no limit. None:
   * no member has one.
   */
  readonly partitionsMax: readonly number[];
  /** Whether members look twice in each world, and not only in some. */
  readonly looksTwice: boolean;
}

/** The default size of the worlds. */
export const usualSize: Size = { nodes: 3, partitions: 4, thresholdMs: 1000 };

/** Returns whether the store of that world may lose changes that it has acknowledged. */
export function mayLose({ perMinute }: Scenario): boolean {
  return perMinute['history-lost'] !== undefined || perMinute['old-copy'] !== undefined;
}

/** Returns whether the store of that world may lose changes, and not show it. */
export function hidesLosses({ perMinute }: Scenario): boolean {
  return perMinute['loss-hidden'] !== undefined;
}

/** Returns the greatest number of partitions that the member of a node leads at once. */
export function limitOf({ partitionsMax }: Scenario, node: number): number {
  const limit = partitionsMax[node % Math.max(1, partitionsMax.length)] ?? 0;
  return limit === 0 ? Number.POSITIVE_INFINITY : limit;
}

/** Returns the scenario in another size. */
export function sized(scenario: Scenario, size: Size): Scenario {
  const factor = size.thresholdMs / scenario.thresholdMs;
  const isUsual = scenario.partitions === usualSize.partitions;
  return {
    ...scenario,
    ...scaledCommon(scenario, factor),
    nodes: size.nodes,
    partitions: isUsual ? size.partitions : scenario.partitions,
    thresholdMs: size.thresholdMs,
    perMinute: changedRates(scenario.perMinute, (rate) => rate / factor),
  };
}
