// The settings of a scenario of the ledger lease: its store, its faults, and their rates.
// `scenarios.ts` lists the scenarios.
import type { Bounds } from '../kernel/bounds.ts';
import { type CommonScenario, type Size, scaled } from '../kernel/scenario.ts';

/** The faults, which recur at random times. */
export type FaultKind =
  /** A process handles no events for a while, often longer than T, then continues. */
  | 'pause'
  /** A process crashes and restarts under the same member name, without any state. */
  | 'restart'
  /** A process leaves the group, drains, releases, and joins again later. */
  | 'leave'
  /** A process loses its writes to the store, its reads from the store, or both. */
  | 'cut'
  /**
   * The store denies all writes of one process, as with a full disk or a missing permission. The
   * process still reads and sends requests.
   */
  | 'deny'
  /** A reader loses its connection. */
  | 'reconnect'
  /**
   * The leadership of a log moves to another broker: every reader loses its connection at once, but
   * no record is lost.
   */
  | 'move'
  /** The placement prefers another member for one partition. */
  | 'rebalance'
  /** A holder resigns. */
  | 'resign'
  /** A member stops campaigning, and campaigns again later. */
  | 'observe'
  /** The rate of a clock changes within ±ρ. */
  | 'drift'
  /** A wall clock jumps. */
  | 'wall-step'
  /** A log is pruned up to the current record of some chain in it (L10). */
  | 'prune'
  /**
   * A process copies the current record of a chain to the next height, whether its holder is alive
   * or not (L10).
   */
  | 'carry'
  /** A log loses its tail (L11). */
  | 'lost-tail'
  /** The whole store is deleted. */
  | 'delete'
  /**
   * Every process stops, and the whole store is deleted before one starts again. Only a second
   * place still holds a token (T1).
   */
  | 'wipe'
  /**
   * A register returns to a version older than any that a live process has seen, as from a backup.
   * No reader detects this by itself (L11).
   */
  | 'go-back'
  /** A release of another version writes a kind of record that no member knows (L1). */
  | 'stranger'
  /** Somebody edits a record so that its token leaves no room for a later one (T1). */
  | 'hostile-token'
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

/** The description of one kind of world. */
export interface Scenario extends CommonScenario<FaultKind> {
  readonly shape: 'log' | 'register';
  /** Whether lease requests are cheap in this world (L7). */
  readonly asks: boolean;
  /** Whether the store keeps the greatest token in a second place (T1). */
  readonly hasFloor?: boolean;
  /**
   * What readers of registers detect by themselves. `shrinking` (the default): a shorter chain,
   * which means another store. `changes`: only that a register differs. `growth`: only that a chain
   * has grown.
   */
  readonly readersNotice?: 'shrinking' | 'changes' | 'growth';
  /**
   * The names of the members, one per node. A name that occurs twice stands for two processes of
   * one member (L2).
   */
  readonly members: readonly string[];
  /** M as configured per node, where it differs from `partitions` (R3). */
  readonly misconfigured?: Readonly<Record<number, number>>;
  /** T of each node. The list repeats if there are more nodes. */
  readonly thresholdsMs: readonly number[];
  readonly thresholdMsMax: number;
  /** Whether all partitions share one log. */
  readonly sharedLog: boolean;
  /**
   * Whether a guard observes the members, and releases for the dead (L16). It runs as the last node
   * and never leads. `eager`: also after a young term, which is safe, and shows more mutants.
   */
  readonly guard?: 'patient' | 'eager';
  /** A counter without a limit is not judged. */
  readonly bounds: Bounds;
}

/** The size that all scenarios are written for. */
export const usualSize: Size = { nodes: 3, partitions: 4, thresholdMs: 1000 };

/** Returns the scenario in another size. Durations that depend on T scale with T. */
export function sized(scenario: Scenario, { nodes, partitions, thresholdMs }: Size): Scenario {
  const factor = thresholdMs / usualSize.thresholdMs;
  const { members, thresholdsMs, thresholdMsMax } = scenario;
  return {
    ...scenario,
    ...scaled(scenario, factor),
    members: Array.from({ length: nodes }, (_, index) => members[index] ?? `m${index}`),
    partitions,
    thresholdsMs: thresholdsMs.map((ms) => ms * factor),
    thresholdMsMax: thresholdMsMax * factor,
  };
}
