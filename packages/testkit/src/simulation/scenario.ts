import type { Network } from './weather.ts';

/** Bad things that come again and again, at random times. */
export type FaultKind =
  /** A process handles nothing for longer than T, then goes on. */
  | 'pause'
  /** A process dies and comes back under the same member name, remembering nothing. */
  | 'restart'
  /** A process says goodbye, drains, releases, and joins again later. */
  | 'leave'
  /** A process reaches the store no more, or hears nothing of it, or both. */
  | 'cut'
  /** The store takes no write of one process for minutes, as where a disk is full or a permission is missing: it still reads, and asks. */
  | 'deny'
  /** A reader loses its connection. */
  | 'reconnect'
  /** Another broker leads a log: every reader loses its connection at once, and nothing is lost. */
  | 'move'
  /** The placement prefers another member for one partition. */
  | 'rebalance'
  /** A holder resigns. */
  | 'resign'
  /** A member stops campaigning, and campaigns again later. */
  | 'observe'
  /** A clock's rate changes within ±ρ. */
  | 'drift'
  /** A wall clock jumps. */
  | 'wall-step'
  /** A log is cut below the current record of every chain in it (L10). */
  | 'prune'
  /** Somebody writes the current record of a chain again, further up, whether its holder lives or not (L10). */
  | 'carry'
  /** A log loses its tail (L11). */
  | 'lost-tail'
  /** The whole store is deleted. */
  | 'delete'
  /** A register goes back to a version older than anybody living has seen, as from a backup: no reader notices by itself (L11). */
  | 'go-back'
  /** A release of another version writes a kind of record nobody here knows (L1). */
  | 'stranger';

/** How work ends once it is asked to (H2, H3). */
export interface Draining {
  readonly ms: readonly [number, number];
  /** The share of work that never settles. */
  readonly neverShare: number;
  readonly timeoutMs: number;
}

/** One kind of world. */
export interface Scenario {
  readonly name: string;
  readonly shape: 'log' | 'register';
  /** Whether asking for a lease is cheap here (L7). */
  readonly asks: boolean;
  /**
   * What readers of registers notice by themselves. `shrinking` (the default): that a chain has shrunk, and the store is another.
   * `changes`: only that a register differs. `growth`: only that it has grown.
   */
  readonly readersNotice?: 'shrinking' | 'changes' | 'growth';
  /** The names of the members, one per node. A name that is there twice is two processes of one member (L2). */
  readonly members: readonly string[];
  readonly partitions: number;
  /** M as each node is configured, where that is not `partitions` (R3). */
  readonly misconfigured?: Readonly<Record<number, number>>;
  /** Each node's T; the list is gone through again and again. */
  readonly thresholdsMs: readonly number[];
  readonly thresholdMsMax: number;
  readonly driftRate: number;
  /** Whether all chains share one log. */
  readonly sharedLog: boolean;
  readonly network: Network;
  readonly draining: Draining;
  /** How far wall clocks are off, either way. */
  readonly wallOffsetMsMax: number;
  /** How long a pause or a cut lasts, from and to, in thresholds. */
  readonly outage: readonly [number, number];
  /** How often each fault comes. Times per simulated minute. */
  readonly perMinute: Readonly<Partial<Record<FaultKind, number>>>;
  /** What the counters may come to at most. A counter that is not named here is not judged. */
  readonly bounds: Bounds;
}

/** Bounds of the counters; where one is crossed, that is a violation. */
export interface Bounds {
  readonly leaderlessShare?: number;
  /** Per hour and partition. */
  readonly needlessMovesPerHour?: number;
  /** Per hour and partition. */
  readonly renewalGapsPerHour?: number;
}
