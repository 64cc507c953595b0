import type { LeadershipSource, SourceOptions } from '@leadership/core';
import type { ProcessMember, ProcessMemberOptions } from '../faults/process-member.ts';

/** What a cluster may be able to do to its members or its store. What it cannot is reported as skipped, never passed over. */
export type Fault =
  /** Members are processes of their own: SIGKILL, SIGSTOP, a blocked event loop. */
  | 'processes'
  /** Two members of one name are there at once. */
  | 'namesakes'
  /** A name is a seat: two live members of one name displace each other. */
  | 'seats'
  /** The voters of a group are lost until no quorum is left, and come back. */
  | 'lose-quorum'
  /** A member's connection to the store is cut, and mended. */
  | 'cut'
  /** The store's state is deleted under way. */
  | 'delete-state'
  /** Garbage and truncated records are put where records are. */
  | 'garbage'
  /** Records of another release are put in effect: unknown fields, an unknown kind, a higher version. */
  | 'other-release'
  /** The store goes back a few versions, as after a restore. */
  | 'roll-back'
  /** The requests that members of this process send are counted. */
  | 'request-count'
  | WayFault;

/** What can be wrong with one member's way to the store, beside a cut. */
export type WayFault =
  /** Reads are answered with an old state, as by a replica. */
  | 'stale-reads'
  /** Writes take effect, and their replies are lost. */
  | 'lost-replies'
  /** Writes get no reply, and take effect, or not, once the way is mended. */
  | 'late-writes'
  /** Nothing can be read; writes get through. */
  | 'reads-cut'
  /** Nothing can be written; reads get through. */
  | 'writes-cut'
  /** Reads are never answered. */
  | 'hung-reads'
  /** Every request is refused as unauthorized. */
  | 'expired-credentials';

/** What members of one cluster are opened with, beside what the cluster knows itself. */
export type MemberOptions = Omit<SourceOptions, 'load'> & { readonly group: string; readonly member: string };

/** How a member process of a cluster is started. The cluster knows the URL of its groups, a check does not. */
export type SpawnOptions = Omit<ProcessMemberOptions, 'url'> & { readonly group: string };

/** A backend under test: how members join it, and what can be done to them. An adapter's own is under 25 lines. */
export interface Cluster extends AsyncDisposable {
  /** The backend's name, as it goes into test names. */
  readonly name: string;
  /** T that checks use with this backend: short, yet ten times what its round trips take. Milliseconds. */
  readonly thresholdMs: number;
  /** How long a check waits for what ought to come before it calls the promise broken. Milliseconds. Default: 20 s and 20 T. */
  readonly patienceMs?: number;
  /** Whether a name is a seat that one member can have at a time. Default `false`: names are for people, and two members may have one. */
  readonly namesAreSeats?: boolean;
  /** Why the backend cannot have a fault at all, in words: it goes into the reason for which checks are skipped. */
  readonly cannot?: Readonly<Partial<Record<Fault, string>>>;
  /** A member in this process. */
  open(options: MemberOptions): LeadershipSource;
  /** A member in a process of its own; only with the fault `processes`. */
  spawn?(options: SpawnOptions): Promise<ProcessMember>;
  /** Cuts a member of this process off from the store until the answer is disposed; only with the fault `cut`. */
  cut?(source: LeadershipSource): Disposable;
  /** Hampers the way of a member of this process until the answer is disposed. `storeWay` in `@leadership/testkit/faults` offers them all. */
  readonly ways?: Readonly<Partial<Record<WayFault, (source: LeadershipSource) => Disposable>>>;
  /** Puts back what was current in the partition a few versions ago; only with the fault `roll-back`. */
  rollBack?(group: string, partition: number): Promise<void>;
  /** How many requests members of this process have sent so far; only with the fault `request-count`. */
  requests?(): number;
  /** Takes voters away from the group until no quorum is left, until the answer is disposed; only with the fault `lose-quorum`. */
  loseQuorum?(group: string): Disposable;
  /** Deletes everything the group has in the store; only with the fault `delete-state`. */
  deleteState?(group: string): Promise<void>;
  /** Puts garbage where the partition's records are; only with the fault `garbage`. */
  putGarbage?(group: string, partition: number): Promise<void>;
  /** Writes, over whatever is current, a well-formed record of another release: extra fields, and that kind; only with `other-release`. */
  putOtherRelease?(group: string, partition: number, kind: string, thresholdMs: number): Promise<void>;
}

/** The faults that a cluster can inject, by the methods it has. */
export function faultsOf(cluster: Cluster): ReadonlySet<Fault> {
  const methods = [
    ['processes', cluster.spawn],
    ['namesakes', cluster.namesAreSeats === true ? undefined : cluster.open],
    ['seats', cluster.namesAreSeats === true ? cluster.open : undefined],
    ['cut', cluster.cut],
    ['lose-quorum', cluster.loseQuorum],
    ['delete-state', cluster.deleteState],
    ['garbage', cluster.putGarbage],
    ['other-release', cluster.putOtherRelease],
    ['roll-back', cluster.rollBack],
    ['request-count', cluster.requests],
  ] as const;
  const ways = Object.keys(cluster.ways ?? {}) as WayFault[];
  return new Set([...methods.filter(([, method]) => method !== undefined).map(([fault]) => fault), ...ways]);
}
