// The settings of a scenario of Nerio: its members, their clocks and disks, its faults, and their
// rates. `scenarios.ts` lists the scenarios.
import type { Bounds } from '../kernel/bounds.ts';
import { type CommonScenario, type Size, scaledWithLease } from '../kernel/scenario.ts';

/** The faults and other recurring events, which happen at random times. */
export type FaultKind =
  /** A process handles no events for a while, then continues. */
  | 'pause'
  /** A process crashes and restarts with its hard state, but without its grants. */
  | 'amnesia'
  /** A process crashes and restarts with the contents of its disk. */
  | 'restart'
  /** The directory of a member is copied. */
  | 'copy'
  /** A process crashes and restarts with the older copy. At least its first life learns of it. */
  | 'restore'
  /** A process crashes and restarts with an empty directory. At least its first life learns of it. */
  | 'wipe'
  /** Writes to disk hang for as long as a pause. */
  | 'hang'
  /** Links between two sides break, in one direction or in both. */
  | 'partition'
  /** A member receives nothing, sends nothing, or communicates with one neighbour only. */
  | 'isolate'
  /** A leader receives nothing, but can still send. */
  | 'deafen'
  /** A leader communicates only with its successor in the ring. */
  | 'tie'
  /** A leader resigns. */
  | 'resign'
  /** A member stops campaigning, and campaigns again later. */
  | 'observe'
  /** A process stops and restarts with a random configuration. */
  | 'redeploy'
  /** The rate of a clock changes within ±ρ. */
  | 'drift'
  /** A wall clock jumps. With synchronised clocks it stays within Δ. */
  | 'wall-step'
  /** A change of members is requested. */
  | 'reconfigure'
  /** A member reports a running epoch that does not exist. */
  | 'lie'
  /** A leader creates an edict. */
  | 'edict'
  /** A member verifies the leadership of another. */
  | 'verify'
  /** A member searches for the leader. */
  | 'find'
  /** No fault: the judge checks the distribution of the partitions. */
  | 'look';

/**
 * The durable state of a member: no directory (`nothing`), its hard state (`hard-state`, in production
 * `mute`), or its grants as well (`grants`, in production `state`).
 */
export type Keeping = 'nothing' | 'hard-state' | 'grants';

/** The startup configuration, which must be the same for all members of a group (R3). */
interface Config {
  /** Number of the first nodes that form the initial group. */
  readonly members: number;
  /** Maximum length of a lease, in milliseconds. */
  readonly leaseMsMax: number;
}

/** The description of one kind of world. */
export interface Scenario extends CommonScenario<FaultKind> {
  /** The assumption about clocks (N2, N3). */
  readonly clocks: 'drift' | 'skew';
  /** Number of initial members, without the newcomers that a change of members may add. */
  readonly nodes: number;
  readonly newcomers: number;
  /** Number of the first members that vote. */
  readonly voters: number;
  /** Further configurations that members may start with. */
  readonly otherConfigs: readonly Config[];
  /** The configured δ, in milliseconds. */
  readonly leaseMs: number;
  readonly leaseMsMax: number;
  readonly skewMs: number;
  /**
   * Share of `leaseMs` that each member adds to its own δ, for leases of several lengths. The list
   * repeats.
   */
  readonly leaseSpread: readonly number[];
  /**
   * Interval between pings of neighbours, as a share of `leaseMs`. Default: a third, which detects
   * silence well before the end of the shortest remaining lease.
   */
  readonly pingShare?: number;
  /** The durable state of each member. The list repeats. */
  readonly keeps: readonly Keeping[];
  /** Whether members may forget their grants even if no member remembers them. */
  readonly mayForgetAll: boolean;
  /**
   * Share of the members beyond the third that have no vote, or do not stand for election, in a
   * change of members.
   */
  readonly lesserShare: number;
  readonly bounds: NerioBounds;
}

/** The limits of Nerio. Rates are for leases of one second. */
interface NerioBounds extends Bounds {
  /** Share of time in failed campaigns. */
  readonly failedCampaignShare?: number;
}

/** The default size of the command, with the default T of members. */
export const usualSize: Size = { nodes: 5, partitions: 1, thresholdMs: 3000 };

/** The size that the scenarios are written for. */
const written: Size = { nodes: 5, partitions: 1, thresholdMs: 1000 };

/**
 * Returns the scenario in another size. Durations and rates scale with the lease. A scenario with
 * few members or several partitions keeps that property.
 */
export function sized(scenario: Scenario, { nodes, partitions, thresholdMs }: Size): Scenario {
  const factor = thresholdMs / written.thresholdMs;
  const { leaseMsMax, skewMs, otherConfigs } = scenario;
  return {
    ...scenario,
    ...scaledWithLease(scenario, factor),
    nodes: scenario.nodes === written.nodes ? nodes : Math.min(scenario.nodes, nodes),
    partitions: Math.max(scenario.partitions, partitions),
    leaseMsMax: leaseMsMax * factor,
    otherConfigs: otherConfigs.map((config) => ({
      ...config,
      leaseMsMax: config.leaseMsMax * factor,
    })),
    skewMs: skewMs * factor,
  };
}
