// The state of the machine in `step.ts`: what one member knows of one partition.
import type { Metadata } from '@leadership/core';
import type { Instant, KnownLeader } from '@leadership/core/adapter';
import type { TermOutput } from '@leadership/core/internal/engine';
import type { Beat } from '../beat.ts';

/**
 * An own beat that was read back. The broker's clock showed `stampedMs` at its publication, and
 * this member's clock showed an instant between the other two.
 */
export interface Sample {
  readonly sentAt: Instant;
  readonly stampedMs: number;
  readonly receivedAt: Instant;
}

/**
 * The two most informative samples since the clock last changed: the one with the latest lower
 * bound for a stamp, and the one with the earliest upper bound. All samples lose precision at the
 * same rate, so their order never changes, and an old sample is replaced by itself.
 */
export interface BrokerClock {
  readonly floor: Sample;
  readonly ceiling: Sample;
}

/** The interval, on this member's clock, in which the broker stamped `stampedMs`. */
export interface Bracket {
  readonly earliest: Instant;
  readonly latest: Instant;
}

/** The configuration and identity of one member. It does not change while the member runs. */
export interface MemberConfig {
  readonly group: string;
  readonly member: string;
  readonly incarnation: string;
  readonly partitions: number;
  readonly thresholdMs: number;
  readonly driftRate: number;
  readonly metadata?: Metadata;
  readonly promise: 'continuous' | 'exclusive';
  readonly beats: 'all' | 'owner';
  /** The interval between beats, n · F (I3). Milliseconds. */
  readonly beatMs: number;
  /** Whether a partition that all members decline stays with its owner. */
  readonly settles: boolean;
  /**
   * Whether the coordinator numbers its decisions. If so, no term begins before the number is
   * known.
   */
  readonly numbered: boolean;
}

/** A beat of this member that it has not read back yet. */
export interface Sent {
  readonly id: string;
  /** The instant before it was sent (I2). */
  readonly sentAt: Instant;
  /**
   * Whether this member was in charge of the partition when it sent the beat. Only such a beat is a
   * proof.
   */
  readonly proves: boolean;
}

/**
 * The state of this member's leadership of the partition. In every state except `follower` it leads
 * until a deadline.
 */
export type LeaseState =
  | { readonly kind: 'follower' }
  | { readonly kind: 'leading'; readonly token: bigint; readonly until: Instant }
  /**
   * The partition is assigned to another member, and this member leads until that one does (I1).
   * `frozen`: beats no longer extend the lease. A member that leaves voluntarily keeps extending it
   * until another member is in charge.
   */
  | {
      readonly kind: 'lingering';
      readonly token: bigint;
      readonly until: Instant;
      readonly frozen: boolean;
      readonly patientUntil: Instant;
    }
  /** The member's work is draining. */
  | {
      readonly kind: 'revoking';
      readonly token: bigint;
      readonly until: Instant;
      readonly frozen: boolean;
    };

/** A state in which this member leads. */
export type HeldLease = Exclude<LeaseState, { readonly kind: 'follower' }>;

/** A member does not take part in the election of a partition. */
interface Abstention {
  readonly since: Instant;
  readonly atLeastMs: number;
  /**
   * Whether it ends after `atLeastMs`: the partition was assigned to the member again, so no other
   * member takes it, or the member campaigns again.
   */
  readonly endsAtMinimum: boolean;
}

/**
 * Another member that was put in charge of the partition after this one, according to its latest
 * beat, or that has reported leaving it.
 */
export interface Successor {
  readonly incarnation: string;
  readonly sequence: number;
  readonly standing: Beat['standing'];
  readonly generation: number | undefined;
  readonly lastBeatAt: Instant;
}

/**
 * Another member that leads, as far as this one has read, or that has reported the end of its
 * leadership.
 */
interface OtherLeader {
  readonly leader: KnownLeader;
  readonly sequence: number;
  readonly leads: boolean;
  readonly generation: number | undefined;
  readonly lastBeatAt: Instant;
  readonly thresholdMs: number;
}

/** The complete state of one member for one partition. Plain data. */
export interface InductionState {
  readonly self: MemberConfig;
  readonly partition: number;
  /** Whether the coordinator's last decision assigned the partition to this member. */
  readonly assigned: boolean;
  /** The number of the last decision that did. */
  readonly generation: number | undefined;
  /** Whether this member is the only one in the group. */
  readonly alone: boolean;
  readonly campaigning: boolean;
  readonly abstention: Abstention | undefined;
  readonly sent: readonly Sent[];
  /** The sequence number of the last id that was generated. */
  readonly sequence: number;
  /** The earliest instant at which the next beat may be sent. */
  readonly beatAt: Instant;
  /** The known relation to the clock of the partition's broker (I2). */
  readonly clock: BrokerClock | undefined;
  /** The error of that relation. Milliseconds. */
  readonly clockErrorMs: number | undefined;
  /**
   * V of this partition: the latest publication of a beat that counts, never estimated too late
   * (I1).
   */
  readonly provedAt: Instant;
  /**
   * The same for own beats only. If a member has read none of its own beats for T, other members
   * cannot read them either.
   */
  readonly ownProvedAt: Instant;
  /**
   * Since when the partition has been proved without interruption by own beats of this assignment.
   */
  readonly provenSince: Instant | undefined;
  readonly leaseState: LeaseState;
  /** At most one entry per member, none older than T. */
  readonly successors: readonly Successor[];
  readonly leader: OtherLeader | undefined;
  /** The greatest token seen; new tokens exceed it. */
  readonly seenToken: bigint;
  /** Whether this member has asked the coordinator not to assign it the partition. */
  readonly declined: boolean;
  /**
   * Whether none of the beats that this member sent came back for too long, and none has come back soon
   * since (I9).
   */
  readonly unreturned: boolean;
  /** The leader that was last reported. */
  readonly lastLeader: KnownLeader | undefined;
}

/** An input of the partition's state machine; each step takes one. */
export type InductionInput =
  | {
      readonly kind: 'beat';
      readonly beat: Beat;
      readonly stampedMs?: number;
      readonly receivedAt: Instant;
    }
  /** A decision of the coordinator; `mine`: it assigns the partition to this member. */
  | {
      readonly kind: 'assigned';
      readonly mine: boolean;
      readonly generation: number | undefined;
      readonly alone: boolean;
    }
  | { readonly kind: 'restarted' | 'wake' }
  /** A beat may not have been written. */
  | { readonly kind: 'unsent'; readonly id: string }
  | { readonly kind: 'campaign'; readonly on: boolean }
  | { readonly kind: 'resign'; readonly atLeastMs: number }
  /** The host's reply to `drain`. */
  | { readonly kind: 'drained' }
  /**
   * The host ended the term. `lapse`: its work drained for too long (H3); otherwise the clock may
   * have stopped during sleep (H6).
   */
  | { readonly kind: 'fenced'; readonly lapse: boolean };

/** An effect that the driver performs after a step, in the order of the list. */
export type InductionOutput =
  | { readonly kind: 'beat'; readonly beat: Beat }
  | TermOutput
  | { readonly kind: 'leader'; readonly leader: KnownLeader | undefined }
  /** Ask the coordinator not to assign the partition to this member, or withdraw the request. */
  | { readonly kind: 'decline'; readonly on: boolean }
  /** No beat of this member comes back, or they do again (I9). */
  | { readonly kind: 'unreturned'; readonly on: boolean }
  | { readonly kind: 'ignored'; readonly what: string }
  /** A safety assumption was violated; `rule` names the rule that detected it. */
  | { readonly kind: 'broken'; readonly rule: 'I2' | 'I5' };

/** The result of a step. */
export interface InductionStep {
  readonly state: InductionState;
  readonly outputs: readonly InductionOutput[];
  /** The latest instant at which to call the step function again with `wake`. */
  readonly wakeAt: Instant;
}
