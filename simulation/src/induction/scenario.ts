// The parts of a scenario of induction: its faults, timings and limits. `scenarios.ts` lists the
// scenarios. The rules in comments, such as I1, are those of docs/explanation/induction.md.
import type { InductionRules } from '@leadership/induction/internal/protocol';
import { type CommonScenario, type Size, scaled, scaledRange } from '../kernel/scenario.ts';

/** The faults, which recur at random times. */
export type FaultKind =
  /** A process handles no events for a while, then continues. */
  | 'pause'
  /** A process crashes and restarts under the same member name, without any state. */
  | 'restart'
  /** A process leaves the group, drains, and joins again later. */
  | 'leave'
  /** A process loses some of its links: to the coordinator, for reading, for writing. */
  | 'cut'
  /** A process loses all its links. */
  | 'cut-off'
  /** A process loses only its link to the coordinator. */
  | 'uncoordinated'
  /** A process loses its link to the coordinator and its writes, but continues to read. */
  | 'mute'
  /** The brokers refuse what a process writes: it has lost the right. A restart does not help. */
  | 'cannot-write'
  /** The brokers refuse what all processes write. */
  | 'none-can-write'
  /**
   * A process reads so slowly that it falls behind. Its link to the coordinator and its writes may
   * break as well.
   */
  | 'starve'
  /** The coordinator moves a partition to another member. */
  | 'move'
  /** A leader resigns, and abstains for about T at least. */
  | 'resign'
  /** A leader resigns. It may lead again as soon as its term is over. */
  | 'resign-briefly'
  /** A member stops campaigning, and campaigns again later. */
  | 'observe'
  /** An operator removes a member from its group. */
  | 'evict'
  /** An operator removes a member, whose connections break at the same time. */
  | 'expel'
  /**
   * An operator deletes the group: its members join again, and generations restart from the
   * beginning.
   */
  | 'delete-group'
  /** The coordinator is unavailable. */
  | 'coordinator-away'
  /**
   * The leadership of a partition moves to another broker, after a while without a leading broker.
   */
  | 'new-broker'
  /** The rate of a clock changes within ±ρ: of a member, or of a broker. */
  | 'drift'
  | 'broker-drift'
  /** A wall clock jumps: of a member, or of a broker. */
  | 'wall-step'
  | 'broker-step';

/** The description of one kind of world. Durations are for a T of `thresholdMs` milliseconds. */
export interface Scenario extends CommonScenario<FaultKind> {
  readonly promise: 'continuous' | 'exclusive';
  readonly beats: 'all' | 'owner';
  /** When a member learns the generation of an assignment. */
  readonly numbered: 'at-once' | 'late' | 'never';
  /**
   * `eager`: all partitions move at once. `cooperative`: a member releases a partition before
   * another receives it.
   */
  readonly rebalancing: 'eager' | 'cooperative';
  /** Number of groups that share the partitions (I6). The nodes are distributed round-robin. */
  readonly groups: number;
  readonly nodes: number;
  readonly thresholdMs: number;
  readonly sessionMs: number;
  readonly rebalanceMs: number;
  readonly heartbeatMs: number;
  readonly beatMs: number;
  readonly clockErrorMsMax: number;
  readonly brokers: number;
  /** Maximum offset of the brokers' clocks, in either direction. Milliseconds. */
  readonly brokerOffsetMsMax: number;
  /** Minimum and maximum step of a broker's clock. */
  readonly brokerStepMs: readonly [number, number];
  /** Maximum time without a leader, for a partition that has had one. `undefined`: not judged. */
  readonly gapMsMax: number | undefined;
  /** Maximum number of rebalances per node while no member can write. Absent: not judged. */
  readonly refusedRebalancesPerNodeMax?: number;
  /** Maximum share of time without a leader. `undefined`: not judged. */
  readonly leaderlessShareMax: number | undefined;
}

/** Rules that replace those of the protocol. */
export interface Overrides {
  readonly rules: Partial<InductionRules>;
}

/** The size that all scenarios are written for. */
export const usualSize: Size = { nodes: 3, partitions: 4, thresholdMs: 1000 };

/** Returns the scenario in another size. Durations that depend on T scale with T. */
export function sized(scenario: Scenario, { nodes, partitions, thresholdMs }: Size): Scenario {
  const factor = thresholdMs / usualSize.thresholdMs;
  const { oneByOne, gapMsMax, leaderlessShareMax } = scenario;
  return {
    ...scenario,
    ...scaled(scenario, factor),
    nodes,
    partitions,
    thresholdMs: scenario.thresholdMs * factor,
    sessionMs: scenario.sessionMs * factor,
    rebalanceMs: scenario.rebalanceMs * factor,
    heartbeatMs: scenario.heartbeatMs * factor,
    beatMs: scenario.beatMs * factor,
    clockErrorMsMax: scenario.clockErrorMsMax * factor,
    brokerStepMs: scaledRange(scenario.brokerStepMs, factor),
    ...(oneByOne && { oneByOne: { ...oneByOne, restMs: oneByOne.restMs * factor } }),
    // A single node has no successor. The network delay does not scale.
    gapMsMax: gapMsMax === undefined || nodes < 2 ? undefined : gapMsMax * factor,
    leaderlessShareMax: nodes < 2 ? undefined : leaderlessShareMax,
  };
}
