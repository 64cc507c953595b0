import type { Network } from '@leadership/testkit/world';

/** Bad things that come again and again, at random times. */
export type FaultKind =
  /** A process handles nothing for a while, then goes on. */
  | 'pause'
  /** A process dies and comes back, remembering what it bound itself to for ever, and nothing else. */
  | 'amnesia'
  /** A process dies and comes back with what it had on disk. */
  | 'restart'
  /** Somebody copies what a member has on disk. */
  | 'copy'
  /** A process dies, and comes back with the older copy; whoever starts it says so, at first. */
  | 'restore'
  /** A process dies, and comes back with nothing on disk; whoever starts it says so, at first. */
  | 'wipe'
  /** Writing to disk takes as long as a pause. */
  | 'hang'
  /** Links are cut, between two sides, in one direction or both. */
  | 'partition'
  /** One member hears nobody, or is heard by nobody, or both but for one neighbour. */
  | 'isolate'
  /** A leader hears nobody any more, and is heard. */
  | 'deafen'
  /** A leader is left with its successor in the ring alone. */
  | 'tie'
  /** A leader resigns. */
  | 'resign'
  /** A member stops campaigning, and campaigns again later. */
  | 'observe'
  /** A process dies, and comes back with another configuration, or with the same. */
  | 'redeploy'
  /** A clock's rate changes within ρ. */
  | 'drift'
  /** A wall clock jumps: within Δ where clocks are synchronised. */
  | 'wall-step'
  /** The members change. */
  | 'reconfigure'
  /** A member says to all that an epoch runs that does not. */
  | 'lie'
  /** An edict is created. */
  | 'edict'
  /** A member asks another whether it leads. */
  | 'verify'
  /** A member looks for the leader. */
  | 'find'
  /** Nothing bad: the spread of the partitions is looked at. */
  | 'look';

/** What a member keeps on disk: no directory at all, one for what binds it for ever (`mute`), or one for its grants too (`state`). */
export type Keeping = 'nothing' | 'vows' | 'grants';

/** What an operator tells members when they start: all members of one group must be told the same (R3). */
export interface Config {
  /** So many of the first nodes are the members the group begins with. */
  readonly members: number;
  /** Milliseconds. */
  readonly leaseMsMax: number;
}

/** How work ends once it is asked to (H2, H3). */
interface Draining {
  readonly ms: readonly [number, number];
  /** The share of work that never settles. */
  readonly neverShare: number;
  readonly timeoutMs: number;
}

/** One kind of world. */
export interface Scenario {
  readonly name: string;
  /** What clocks are assumed to keep to (N2, N3). */
  readonly clocks: 'drift' | 'skew';
  /** Members when the world begins; those that a change of members may bring in come on top. */
  readonly nodes: number;
  readonly newcomers: number;
  /** So many of the first ones vote. */
  readonly voters: number;
  /** Other configurations that members may be started with, beside that of the scenario. */
  readonly otherConfigs: readonly Config[];
  readonly partitions: number;
  /** δ as it is meant to be. Milliseconds. */
  readonly leaseMs: number;
  readonly leaseMsMax: number;
  readonly driftRate: number;
  readonly skewMs: number;
  /** The share of `leaseMs` that each member adds to its own δ, going round: leases of several lengths. */
  readonly leaseSpread: readonly number[];
  readonly network: Network;
  /** How often neighbours are asked for signs of life, as a share of `leaseMs`. Default: a third, which notices silence well before the shortest lease left over. */
  readonly pingShare?: number;
  readonly draining: Draining;
  /** How far wall clocks are off, either way. Where clocks are synchronised it is Δ/2. */
  readonly wallOffsetMsMax: number;
  /** How long a pause or a cut lasts, from and to, in leases. */
  readonly outage: readonly [number, number];
  /** What each member keeps on disk, going round. */
  readonly keeps: readonly Keeping[];
  /** Whether members may forget what they granted so many at a time that nobody is left who remembers. */
  readonly mayForgetAll: boolean;
  /** Of the members beyond the third, the share that is to have no vote, or not to stand, when members change. */
  readonly lesserShare: number;
  /** How often each comes. Times per simulated minute. */
  readonly perMinute: Readonly<Partial<Record<FaultKind, number>>>;
  readonly bounds: Bounds;
}

/** Bounds of the counters; where one is crossed, that is a violation. */
interface Bounds {
  readonly leaderlessShare?: number;
  /** Per partition, and hour of leases of a second. */
  readonly needlessMovesPerHour?: number;
  /** Per partition, and hour of leases of a second. */
  readonly renewalGapsPerHour?: number;
  /** Hand-overs that took longer than a round trip and a delay, as a share. */
  readonly slowHandoverShare?: number;
  /** Leaders that made room for one that led less. Per partition, and hour of leases of a second. */
  readonly sharingMovesPerHour?: number;
  /** The share of looks at which one member led two partitions more than another. */
  readonly unevenShare?: number;
  /** The share of time that candidates spent in contests that came to nothing. */
  readonly vainShare?: number;
}
