import type { KnownLeader } from '../contract/backend.ts';
import type { Metadata } from '../contract/leader.ts';
import type { LossReason } from '../contract/leadership.ts';
import type { Instant } from '../time/instant.ts';
import type { Beat, Standing } from './beat.ts';
import type { BrokerClock } from './broker-clock.ts';

/** What one member is and was told: the same in every step of its life. */
export interface Inductee {
  readonly group: string;
  readonly member: string;
  readonly incarnation: string;
  readonly partitions: number;
  readonly thresholdMs: number;
  readonly driftRate: number;
  readonly metadata?: Metadata;
  readonly promise: 'continuous' | 'exclusive';
  readonly beats: 'all' | 'owner';
  /** n · F (I3). */
  readonly beatMs: number;
  /** Whether the coordinator's decisions are numbered: then no term begins before the number is known. */
  readonly numbered: boolean;
}

/** A beat of our own that was not heard yet. */
export interface Sent {
  readonly id: string;
  /** The instant before it was sent (I2). */
  readonly sentAt: Instant;
  /** Whether it was sent in charge of the partition: only then it proves anything. */
  readonly proves: boolean;
}

/** What this member is to the partition. All but the follower believe to lead, until a deadline. */
export type InducedTenure =
  | { readonly kind: 'follower' }
  | { readonly kind: 'leading'; readonly token: bigint; readonly until: Instant }
  /**
   * The partition goes to another, and until that one leads this one does (I1). `frozen`: no beat proves anything any more.
   * Where this member is going by its own wish, it is proved on, until somebody else is in charge.
   */
  | {
      readonly kind: 'lingering';
      readonly token: bigint;
      readonly until: Instant;
      readonly frozen: boolean;
      readonly patientUntil: Instant;
    }
  /** Its work is asked to end. */
  | { readonly kind: 'draining'; readonly token: bigint; readonly until: Instant; readonly frozen: boolean };

/** A tenure whose holder believes to lead. */
export type InducedReign = Exclude<InducedTenure, { readonly kind: 'follower' }>;

/** Why and how long at least a member leaves a partition alone. */
export interface Absence {
  readonly since: Instant;
  readonly atLeastMs: number;
}

/** Another member that was put in charge of the partition after this one, as its latest beat told; or says that it is no more. */
export interface Successor {
  readonly incarnation: string;
  readonly sequence: number;
  readonly standing: Standing;
  readonly generation: number | undefined;
  readonly heardAt: Instant;
}

/** Another member that leads, as far as this one has heard; or says that it does no more. */
export interface LeaderHeard {
  readonly leader: KnownLeader;
  readonly sequence: number;
  readonly leads: boolean;
  readonly generation: number | undefined;
  readonly heardAt: Instant;
  readonly thresholdMs: number;
}

/** Everything one member knows and intends about one partition. Plain data. */
export interface InductionState {
  readonly self: Inductee;
  readonly partition: number;
  /** Whether the coordinator's last outcome has the partition as this member's. */
  readonly appointed: boolean;
  /** The number of the last outcome that had. */
  readonly generation: number | undefined;
  /** Whether this member is the group's only one. */
  readonly alone: boolean;
  readonly campaigning: boolean;
  readonly abstention: Absence | undefined;
  readonly sent: readonly Sent[];
  /** Sequence of the last id given out. */
  readonly sequence: number;
  /** When the next beat may be sent. */
  readonly beatAt: Instant;
  /** What is known of the clock of the partition's broker (I2). */
  readonly clock: BrokerClock | undefined;
  /** How well it is known. Milliseconds. */
  readonly clockErrorMs: number | undefined;
  /** V of this partition: when the latest beat that counts was published, at the latest (I1). */
  readonly provedAt: Instant;
  /** The same for own beats alone: who has heard none for T cannot be heard by others either. */
  readonly heardAt: Instant;
  /** Since when it has been current without a break, as own beats of this appointment proved. */
  readonly provenSince: Instant | undefined;
  readonly tenure: InducedTenure;
  /** One for each member, none older than T. */
  readonly successors: readonly Successor[];
  readonly leader: LeaderHeard | undefined;
  /** The greatest token seen: new ones are greater still. */
  readonly seenToken: bigint;
  /** Whether the coordinator was asked to spare this member. */
  readonly declined: boolean;
  /** Who was last told as the leader. */
  readonly told: KnownLeader | undefined;
}

/** What happens to a partition, one at a time. */
export type InductionInput =
  | { readonly kind: 'beat'; readonly beat: Beat; readonly stampedMs?: number; readonly receivedAt: Instant }
  /** An outcome of the coordinator's: whether the partition is this member's by it. */
  | { readonly kind: 'assigned'; readonly mine: boolean; readonly generation: number | undefined; readonly alone: boolean }
  | { readonly kind: 'restarted' | 'wake' }
  /** A beat may not have been written. */
  | { readonly kind: 'unsent'; readonly id: string }
  | { readonly kind: 'campaign'; readonly on: boolean }
  | { readonly kind: 'resign'; readonly atLeastMs: number }
  /** The host's answer to `drain`. */
  | { readonly kind: 'drained' }
  /** The host ended the term by itself. `slept`: the clock may have stood still. */
  | { readonly kind: 'fenced'; readonly slept: boolean };

/** What a step wants done, in this order. */
export type InductionOutput =
  | { readonly kind: 'beat'; readonly beat: Beat }
  | { readonly kind: 'granted'; readonly token: bigint; readonly until: Instant; readonly sentAt: Instant }
  | { readonly kind: 'drain' }
  /** Belief ended in order. */
  | { readonly kind: 'released' }
  | { readonly kind: 'lost'; readonly reason: LossReason }
  | { readonly kind: 'leader'; readonly leader: KnownLeader | undefined }
  /** The coordinator is to spare this member the partition, or no longer. */
  | { readonly kind: 'decline'; readonly on: boolean }
  | { readonly kind: 'ignored'; readonly what: string }
  /** An assumption broke: says which rule noticed. */
  | { readonly kind: 'broken'; readonly rule: 'I2' | 'I5' };

/** What a step leads to. */
export interface InductionStep {
  readonly state: InductionState;
  readonly outputs: readonly InductionOutput[];
  /** When to step with `wake` at the latest. */
  readonly wakeAt: Instant;
}
