// The state of one partition's lease in a member: which candidate it has granted the lease to, and
// its own claim to it.
import type { Instant } from '@leadership/core/adapter';
import type { QuorumTimestamp } from './edict.ts';
import type { Members } from './members.ts';
import type { GrantRequest, Sender } from './message.ts';
import type { Sample, Start } from './sample.ts';

/** A voter's knowledge of one partition's lease. Instants are on the lease clock, C. */
export interface Grant {
  /** A: the incarnation to which the lease is granted. */
  readonly holder: Sender | undefined;
  /** F: the end of the grant. */
  readonly until: number;
  /** S: the latest granted round of the holder. */
  readonly start: Sample;
  /**
   * `isLeaving`: the leader keeps the lease only until its work has drained (N6). `successor`: the
   * index of the member that is to follow, −1 for any.
   */
  readonly isLeaving: boolean;
  readonly successor: number;
  /** Until then a released lease is reserved for `successor`. */
  readonly keptUntil: number;
  readonly released: readonly Released[];
  /** The requests that wait for the end of the lease (N6), at most one per candidate. */
  readonly queue: readonly Queued[];
  /**
   * The greatest granted token, and the incarnation to which it was granted: `undefined` if it may
   * be several incarnations (N16).
   */
  readonly token: bigint;
  readonly tokenBy: string | undefined;
  /**
   * The leader that announced itself most recently, and the end of that announcement's validity.
   */
  readonly leader: KnownLeader | undefined;
  readonly leaderUntil: number;
}

/** A leader, as announced by the leader itself. */
export interface KnownLeader extends Sender {
  readonly token: bigint;
}

/** The latest round that an incarnation of a member released (N5). */
export interface Released {
  readonly member: string;
  readonly start: Start;
}

/** A request that waits for the end of the lease. */
export interface Queued {
  readonly from: Sender;
  readonly index: number;
  readonly request: GrantRequest;
  readonly arrivedAt: number;
  /** The voter's clock at the arrival. A grant must not be stamped with it (N8). */
  readonly sample: Sample;
}

/** A candidate's round of requests for the lease (N2). */
export interface Round {
  readonly request: GrantRequest;
  readonly granted: Members;
  readonly refused: Members;
  /** The greatest token that the granters have granted to other incarnations (N16). */
  readonly rival: bigint;
  /** By index: the granter's clock at its grant (N8). */
  readonly timestamp: QuorumTimestamp;
  /** The longest time for which a received refusal remains in force. */
  readonly waitMs: number;
  /** The time of the next round if this one has not completed. */
  readonly retryAt: number;
  /** The time at which the candidate abandons an election. Infinite for a renewal. */
  readonly giveUpAt: number;
}

/** The role of this member in the partition. */
export type LeaseState =
  | { readonly kind: 'follower' }
  /**
   * Believes that it leads until E. In `revoking` it keeps the lease only until its work has
   * drained (H2).
   */
  | {
      readonly kind: 'leading' | 'revoking';
      readonly token: bigint;
      /** E, on the lease clock. */
      readonly until: number;
      /** E on the monotonic clock, as reported to the host. */
      readonly deadline: Instant;
      readonly timestamp: QuorumTimestamp;
      /** The latest deadline that was promised to a verifier (N12). */
      readonly promisedUntil: Instant;
      /** The start of the term. */
      readonly since: number;
      /**
       * `announcedBy`: the time by which the members should have received the announcement (N6).
       * `successor`: the index of the member that is to follow.
       */
      readonly announcedBy: number;
      readonly successor: number;
      readonly hasDrained: boolean;
    };

/** A state in which the member believes that it leads, until a deadline. */
export type Believing = LeaseState & { readonly kind: 'leading' | 'revoking' };

/** A candidate's state for one partition. */
export interface Claim {
  readonly leaseState: LeaseState;
  readonly round: Round | undefined;
  /** The Start of the latest round, which a release names (N5). */
  readonly lastStart: Start | undefined;
  readonly renewAt: number;
  /** The member does not start an election before this time, because a round has failed (N9). */
  readonly yieldUntil: number;
  /** The number of failed elections in a row. */
  readonly failures: number;
  /** The member does not start an election before this time, because it gave the partition up. */
  readonly abstainUntil: number;
  /** The same, because a lease must expire (H3). `campaign` does not shorten it. */
  readonly lapseUntil: number;
  /**
   * How long the member abstains after the term that it gives up, however long the work takes to
   * drain (L9).
   */
  readonly abstainMs: number;
  /** The index of the member that requested this partition, −1 for none. */
  readonly requestedBy: number;
  /**
   * Whether the host needs a leader and none is known: then the member tries although it is not the
   * weak leader (N11).
   */
  readonly isUrged: boolean;
  /** The number of edicts created so far. */
  readonly edicts: number;
  /** The greatest token that this member has proposed or held. */
  readonly ownToken: bigint;
  readonly lastLeader: KnownLeader | undefined;
  readonly lastWeak: number;
}
