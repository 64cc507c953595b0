// The settings of a scenario of gossip: its members and voters, its faults, and their rates.
// `scenarios.ts` lists the scenarios.
import { thresholdMsMin } from '@leadership/scuttlebutt/internal/protocol';
import type { Bounds } from '../kernel/bounds.ts';
import {
  type CommonScenario,
  changedRates,
  type Size,
  scaledWithLease,
} from '../kernel/scenario.ts';

/** The faults and other recurring events, which happen at random times. */
export type FaultKind =
  /** A process handles no events for a while, then continues. */
  | 'pause'
  /** The machine of a process sleeps: the process does nothing, and its clock stands still. */
  | 'suspend'
  /** A process crashes and restarts. It keeps nothing. */
  | 'restart'
  /** A voter closes in order, runs on for a while, stops and restarts (S7). */
  | 'deploy'
  /** The same in a group of three: its witness is cut off, and once it restarts the third one is. */
  | 'deploy-apart'
  /** All voters crash at once and restart. */
  | 'wipe'
  /** All members crash at once and restart. */
  | 'wipe-all'
  /** While a leader is cut off, another one leads. Then all voters crash, and reach only the first. */
  | 'forget-term'
  /** A member without a vote stays away until the others have forgotten it. */
  | 'leave'
  /** A member restarts with other voters, and later with the usual ones. */
  | 'reconfigure'
  /** A member without a vote restarts with other voters for a while, then with the usual ones. */
  | 'misconfigure'
  /** Links between two sides break, in one direction or in both. */
  | 'partition'
  /** A member receives nothing, sends nothing, or communicates with one other only. */
  | 'isolate'
  /** Less than half of the members are cut off until others are: links heal and break at once. */
  | 'minority'
  /** A leader receives nothing, but can still send. */
  | 'deafen'
  /** A leader sends nothing, but can still receive. */
  | 'mute'
  /** Each voter communicates with one other member at most. */
  | 'shatter'
  /** A member dies or is deaf, and the others get too little processor time. Later they get enough. */
  | 'starve'
  /** A leader resigns. */
  | 'resign'
  /** A member stops campaigning, and campaigns again later. */
  | 'observe'
  /** The rate of a clock changes within ±r. */
  | 'drift'
  /** A wall clock jumps. */
  | 'wall-step'
  /** A member writes an entry of the application. */
  | 'set'
  /** No fault: the judge compares what a member knows with the truth. */
  | 'look';

/** The description of one kind of world. */
export interface Scenario extends CommonScenario<FaultKind> {
  readonly nodes: number;
  /** Number of the first nodes that vote. */
  readonly voters: number;
  /** In a ring, how far the members are that a member reaches directly. Default: all. */
  readonly reach?: number;
  /** The least and greatest delay of messages to the last member, in P. Default: as to all. */
  readonly lastDelay?: readonly [number, number];
  /** Whether voters may lead, or only the others. */
  readonly votersStand: boolean;
  /** P, in milliseconds. */
  readonly leaseMs: number;
  /** Whether a majority of the voters may lose its memory, so that the wall clocks order tokens. */
  readonly mayForgetAll: boolean;
  /** Rates are for a P of one second. */
  readonly bounds: Bounds;
  /** The counters of a run of this number of P are judged. Default: 300. */
  readonly judgedThresholds?: number;
}

/**
 * Returns whether two members communicate directly. In a ring the voters are far from each other, so
 * that votes always need relays.
 */
export function reaches({ reach, nodes, voters }: Scenario, from: number, to: number): boolean {
  if (reach === undefined) return true;
  const steps = (Math.abs(from - to) * Math.floor(nodes / voters)) % nodes;
  return Math.min(steps, nodes - steps) <= reach;
}

/** The default size of the command. */
export const usualSize: Size = { nodes: 5, partitions: 1, thresholdMs: 3000 };

/** The size that the scenarios are written for. */
const written: Size = { nodes: 5, partitions: 1, thresholdMs: 1000 };

/** The number of living peers of a round. */
export const fanout = 2;

/** The interval of the renewal of votes, as a share of P. */
export const electionShare: number = 1 / 12;

/**
 * Up to this number of members, P is shorter than S6 permits: they reach each other directly, and
 * old votes do more harm then.
 */
const smallGroup = 10;
const intervalsPerLease = 8;

/** Returns the interval of gossip, as a share of P: the longest that S6 permits in a large group. */
export function intervalShare(nodes: number): number {
  if (nodes <= smallGroup) return 1 / intervalsPerLease;
  return 1 / thresholdMsMin({ intervalMs: 1, fanout }, nodes);
}

/** After how many P of silence a member without a vote is removed. */
export const forgetThresholds = 10;

/**
 * Returns the scenario in another size. Durations and rates scale with P, and rates with the number
 * of members, each of which fails as often in a large group. A scenario with another number of
 * members keeps it.
 */
export function sized(scenario: Scenario, { nodes, partitions, thresholdMs }: Size): Scenario {
  const factor = thresholdMs / written.thresholdMs;
  const count = scenario.nodes === written.nodes ? nodes : scenario.nodes;
  const { perMinute, ...durations } = scaledWithLease(scenario, factor);
  const times = Math.max(1, count / scenario.nodes);
  return {
    ...scenario,
    ...durations,
    perMinute: changedRates(perMinute, (rate) => rate * times),
    nodes: count,
    voters: Math.min(scenario.voters, count),
    partitions: Math.max(scenario.partitions, partitions),
  };
}
