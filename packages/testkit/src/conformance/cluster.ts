// The interface by which the conformance suite tests an adapter: it opens members, and injects the
// faults that the store allows.
import type { LeadershipSource, SourceOptions } from '@leadership/core';
import type { ProcessMember, ProcessMemberOptions } from '../processes/process-member.ts';

/**
 * A fault that a cluster may be able to inject. Checks that need an unsupported fault are reported
 * as skipped.
 */
export type Fault =
  /** Members run in separate processes that can be killed or blocked. */
  | 'processes'
  /** Such a process is stopped (SIGSTOP) at any moment, while the store goes on for the others. */
  | 'stopped-processes'
  /** Two members with the same name run at once. */
  | 'duplicate-names'
  /** A name identifies one voter: two live members with the same name displace each other. */
  | 'voter-names'
  /** A group loses voters until no quorum is left; later the voters come back. */
  | 'lose-quorum'
  /** A member's connection to the store is cut and restored. */
  | 'cut'
  /** The state of a group is deleted while its members run. */
  | 'delete-state'
  /** Garbage and truncated records are written in place of records. */
  | 'garbage'
  /** Records of another release take effect: unknown fields, an unknown kind, a higher version. */
  | 'other-release'
  /** The store returns to an earlier version, as after a restore. */
  | 'roll-back'
  /** The cluster counts the requests of the members in this process. */
  | 'request-count'
  /** The cluster lists what the store holds of a group. */
  | 'contents'
  /** Members are notified of the claims of others. */
  | 'announcements'
  /** Every member knows all others, also those that do not lead. */
  | 'members'
  /** A member can be limited to a number of partitions. */
  | 'limits'
  | StoreFault;

/** A fault of one member's connection to the store, other than a cut. */
export type StoreFault =
  /** Reads return an old state, as from a replica. */
  | 'stale-reads'
  /** Writes take effect, but their replies are lost. */
  | 'lost-replies'
  /** Writes receive no reply; they may take effect once the connection is restored. */
  | 'late-writes'
  /** Reads fail; writes succeed. */
  | 'reads-cut'
  /** Writes fail; reads succeed. */
  | 'writes-cut'
  /** Reads never receive a response. */
  | 'hung-reads'
  /** The store rejects every request as unauthorized. */
  | 'expired-credentials';

/** The options for opening a member, apart from the settings that the cluster itself supplies. */
export type MemberOptions = Omit<SourceOptions, 'load'> & {
  readonly group: string;
  readonly member: string;
};

/** The options for starting a member process. The cluster supplies the URL. */
export type SpawnOptions = Omit<ProcessMemberOptions, 'url'> & { readonly group: string };

/**
 * A backend under test: it opens members and injects faults. An adapter implements it in fewer than
 * 25 lines.
 */
export interface Cluster extends AsyncDisposable {
  /** The backend's name in test names. */
  readonly name: string;
  /**
   * The T that checks use with this backend, in milliseconds: short, but at least ten round trips.
   */
  readonly thresholdMs: number;
  /**
   * How long a check waits for an expected event before it fails, in milliseconds. Default: 40 s
   * plus 20 T.
   */
  readonly timeoutMs?: number;
  /**
   * Whether a name identifies one voter. Default `false`: names are labels, and two members may
   * share one.
   */
  readonly namesIdentifyVoters?: boolean;
  /**
   * Whether members that do not lead are notified of a claim, and need no poll to report it. Default
   * `false`.
   */
  readonly announcesClaims?: boolean;
  /**
   * Whether members keep `campaign.partitionsMax` (M13). Default `false`: the backend refuses the option.
   */
  readonly keepsPartitionsMax?: boolean;
  /**
   * For each fault that the backend cannot have: the reason, which is printed for skipped checks.
   */
  readonly cannot?: Readonly<Partial<Record<Fault, string>>>;
  /** Opens a member in this process. */
  open(options: MemberOptions): LeadershipSource;
  /** Starts a member in a separate process; requires the fault `processes`. */
  spawn?(options: SpawnOptions): Promise<ProcessMember>;
  /**
   * Cuts a member of this process off from the store until the result is disposed; requires the
   * fault `cut`.
   */
  cut?(source: LeadershipSource): Disposable;
  /**
   * Injects connection faults into a member of this process until the result is disposed. See
   * `proxiedMembers` in `@leadership/testkit/faults`.
   */
  readonly storeFaults?: Readonly<
    Partial<Record<StoreFault, (source: LeadershipSource) => Disposable>>
  >;
  /** Restores an earlier version of the partition's state; requires the fault `roll-back`. */
  rollBack?(group: string, partition: number): Promise<void>;
  /**
   * Returns the number of requests that members of this process have sent so far; requires the
   * fault `request-count`.
   */
  requests?(): number;
  /**
   * Returns all that the store holds of a group, as texts in any order: rows with their contents,
   * paths, records; nothing before a member has opened the group, also no place for it. Requires
   * the fault `contents`.
   */
  contents?(group: string): Promise<readonly string[]>;
  /**
   * Removes voters so that no quorum is left until the result is disposed; requires the fault
   * `lose-quorum`.
   */
  loseQuorum?(group: string): Disposable;
  /** Deletes all state of the group from the store; requires the fault `delete-state`. */
  deleteState?(group: string): Promise<void>;
  /** Writes garbage in place of the partition's records; requires the fault `garbage`. */
  putGarbage?(group: string, partition: number): Promise<void>;
  /**
   * Overwrites the current record with a valid record of another release, with additional fields
   * and the given kind; requires `other-release`.
   */
  putOtherRelease?(
    group: string,
    partition: number,
    kind: string,
    thresholdMs: number,
  ): Promise<void>;
}

/** Returns the faults that a cluster can inject, derived from the methods it implements. */
export function faultsOf(cluster: Cluster): ReadonlySet<Fault> {
  const isExcluded = (fault: Fault): boolean => cluster.cannot?.[fault] !== undefined;
  const methods = [
    ['processes', cluster.spawn],
    ['stopped-processes', isExcluded('stopped-processes') ? undefined : cluster.spawn],
    ['duplicate-names', cluster.namesIdentifyVoters === true ? undefined : cluster.open],
    ['voter-names', cluster.namesIdentifyVoters === true ? cluster.open : undefined],
    ['cut', cluster.cut],
    ['lose-quorum', cluster.loseQuorum],
    ['delete-state', cluster.deleteState],
    ['garbage', cluster.putGarbage],
    ['other-release', cluster.putOtherRelease],
    ['roll-back', cluster.rollBack],
    ['request-count', cluster.requests],
    ['contents', cluster.contents],
    ['members', cluster.cannot?.members === undefined ? cluster.open : undefined],
    ['limits', cluster.keepsPartitionsMax === true ? cluster.open : undefined],
    ['announcements', cluster.announcesClaims === true ? cluster.open : undefined],
  ] as const;
  const ways = Object.keys(cluster.storeFaults ?? {}) as StoreFault[];
  return new Set([
    ...methods.filter(([, method]) => method !== undefined).map(([fault]) => fault),
    ...ways,
  ]);
}
