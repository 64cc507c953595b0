// The state of the machine in `step.ts`: what one member knows of one partition's lease.
import type { Metadata } from '../../contract/leader.ts';
import type { LossReason } from '../../contract/leadership.ts';
import type { Instant } from '../../time/instant.ts';
import type { LeaseRequest, WriteOutcome } from '../ledger.ts';
import type { Ranks } from '../placement.ts';
import type { LedgerRecord } from '../record.ts';

/** The instants from which candidates count their waits (L5). */
export interface Waits {
  /**
   * When the reply with the record in effect arrived; if no record is in effect, when the end was
   * read.
   */
  readonly arrivedAt: Instant;
  /**
   * Since when history may have been missing. A leader by a missing record may act for at most the
   * group's cap on T from then on. No record shortens this wait, because its writer may not know of
   * the loss yet (L11).
   */
  readonly mistrustedSince: Instant | undefined;
}

/** The state of one reader of a register. */
export type Fold =
  | {
      readonly kind: 'reading';
      readonly since: Instant;
      readonly best: LedgerRecord | null;
      readonly arrivedAt: Instant;
      /**
       * The record that was in effect before the register restarted. It is kept until the end of
       * the reread confirms or refutes it.
       */
      readonly before: LedgerRecord | null;
      readonly found: Found;
      readonly waitsBefore: Waits | undefined;
    }
  | {
      readonly kind: 'following';
      readonly effect: LedgerRecord | null;
      readonly waits: Waits;
    };

/**
 * What a reread has found of `before`: the record itself, or only records at most as high, among
 * which it should have been. If nothing as low remains, the record may have been cut off with the
 * start of the log (L10).
 */
export type Found = 'nothing' | 'older' | 'itself';

/** The configuration and identity of one member. It does not change while the member runs. */
export interface MemberConfig {
  readonly group: string;
  readonly member: string;
  readonly incarnation: string;
  readonly partitions: number;
  readonly thresholdMs: number;
  readonly thresholdMsMax: number;
  readonly driftRate: number;
  readonly metadata?: Metadata;
  readonly shape: 'register' | 'log';
  /** Whether the ledger can transport lease requests; without them no lease is delegated (L7). */
  readonly hasLeaseRequests: boolean;
  /** Whether the ledger keeps the greatest token in a second place (T1). Default false. */
  readonly hasFloor?: boolean;
  /**
   * The maximum difference, in milliseconds, between the times at which two members read the same
   * record (L9). Default 0.
   */
  readonly deliverySpreadMs?: number;
  /** In [0, 1). Spreads this member's delays away from those of other members. */
  readonly jitter: number;
}

/** A write of this member that may still take effect (L4). */
export interface Attempt {
  readonly id: string;
  /** The instant before it was sent (L3). */
  readonly sentAt: Instant;
}

/** A lease request that this member sent, and the instant before it was sent (L7). */
export interface OwnRequest {
  readonly id: string;
  readonly sentAt: Instant;
}

/** A lease request received from another member. */
export interface PendingRequest {
  readonly request: LeaseRequest;
  readonly receivedAt: Instant;
}

/**
 * Whether the floor was read after the register was last read to its end. A read that began earlier
 * may have missed the token of a term that was wiped meanwhile.
 */
type FloorReading = 'unread' | { readonly askedAt: Instant } | 'read';

/** An incarnation that was proved dead, and when this member learned it (L13). */
export interface Death {
  readonly incarnation: string;
  readonly at: Instant;
}

/** The state of this member's lease on the partition. */
export type LeaseState =
  | { readonly kind: 'follower' }
  /**
   * The member considers itself the leader until `until`; `revoking` means that its work is
   * draining.
   */
  | { readonly kind: 'leading' | 'revoking'; readonly token: bigint; readonly until: Instant }
  /**
   * The member no longer leads, but has not yet seen its release take effect. After `until` the
   * lease has lapsed anyway.
   */
  | { readonly kind: 'releasing'; readonly token: bigint; readonly until: Instant };

/** A state in which this member considers itself the leader until a deadline. */
export type Believing = LeaseState & { readonly kind: 'leading' | 'revoking' };

/** Why, since when, and for how long at least a member does not claim a partition (L9). */
export interface Abstention {
  readonly since: Instant;
  readonly atLeastMs: number;
  /**
   * `lapse`: do not release a lease that is still held, so that fenced work has another T to notice
   * (H3).
   */
  readonly lease: 'release' | 'lapse';
}

/** The complete state of one member for one partition. Plain data. */
export interface PartitionState {
  readonly self: MemberConfig;
  readonly partition: number;
  readonly fold: Fold;
  readonly leaseState: LeaseState;
  /**
   * The greatest token seen in effect. New tokens exceed it even if the store has lost all its data
   * (T1).
   */
  readonly seenToken: bigint;
  /** Always `read` if the ledger has no floor. */
  readonly floor: FloorReading;
  /** The greatest token with which this member has led (T3). */
  readonly ledToken: bigint;
  /**
   * Whether the group's pin matches this member's options. No claim is sent before it is known to
   * match (R3).
   */
  readonly pin: 'unknown' | 'agrees' | 'differs';
  readonly campaigning: boolean;
  readonly abstention: Abstention | undefined;
  readonly attempts: readonly Attempt[];
  /** The sequence number of the last id that was generated. */
  readonly sequence: number;
  /** The earliest instant at which the next write of any kind may be sent. */
  readonly writeAt: Instant;
  readonly ownRequests: readonly OwnRequest[];
  readonly requestAt: Instant;
  /**
   * The number of consecutive leases delegated to this member since the store last accepted one of
   * its writes (L7).
   */
  readonly unproven: number;
  readonly pendingRequests: readonly PendingRequest[];
  readonly ranks: Ranks | undefined;
  /** When the holder last changed, as far as this member has read (L9). */
  readonly movedAt: Instant;
  /** When the current term began, as far as this member has read (L13). */
  readonly termSince: Instant;
  /** The last few incarnations that were proved dead. A proof may be forgotten (L13). */
  readonly deaths: readonly Death[];
  /** The number of consecutive writes without an answer. */
  readonly unanswered: number;
  /** The id of the record in effect, if the store has refused a write that names it (L11). */
  readonly refusedOver: string | undefined;
  /** Whether a reread of the register was requested and the register has not restarted yet. */
  readonly rereading: boolean;
  /** The record whose holder was last reported as the leader. */
  readonly lastLeader: LedgerRecord | undefined;
}

/** An input of the partition's state machine; each step takes one. */
export type LedgerInput =
  | { readonly kind: 'record'; readonly record: LedgerRecord; readonly receivedAt: Instant }
  | { readonly kind: 'end' | 'restarted' | 'wake' }
  /** The outcome of the attempt `record`. */
  | {
      readonly kind: 'written';
      readonly record: LedgerRecord;
      readonly outcome: WriteOutcome | 'unknown';
    }
  | { readonly kind: 'ranks'; readonly ranks: Ranks }
  | { readonly kind: 'requested'; readonly request: LeaseRequest; readonly receivedAt: Instant }
  | { readonly kind: 'pin'; readonly pin: 'unknown' | 'agrees' | 'differs' }
  /** `above`: tokens that are issued from now on exceed it. */
  | { readonly kind: 'campaign'; readonly on: boolean; readonly above?: bigint }
  | { readonly kind: 'resign'; readonly atLeastMs: number }
  /** The floor, from a read that began at `askedAt`. */
  | { readonly kind: 'floor'; readonly token: bigint; readonly askedAt: Instant }
  /** That incarnation will never act again (L13). */
  | { readonly kind: 'died'; readonly incarnation: string }
  /** The host's reply to `drain`. */
  | { readonly kind: 'drained' }
  /** The host ended the term. `lapse`: let the lease lapse instead of releasing it (H3). */
  | { readonly kind: 'fenced'; readonly lapse: boolean };

/** An effect that the driver performs after a step, in the order of the list. */
export type LedgerOutput =
  /** `raisesFloor`: raise the floor to the record's token first. */
  | { readonly kind: 'write'; readonly record: LedgerRecord; readonly raisesFloor?: true }
  /** Read the floor, and reply with the input `floor`. */
  | { readonly kind: 'read-floor' }
  | { readonly kind: 'request-lease'; readonly request: LeaseRequest }
  | {
      readonly kind: 'granted';
      readonly token: bigint;
      readonly until: Instant;
      readonly sentAt: Instant;
    }
  /** Drain the work of the term with this token. */
  | { readonly kind: 'drain'; readonly token: bigint }
  /** The term ended in order. */
  | { readonly kind: 'released' }
  | { readonly kind: 'lost'; readonly reason: LossReason }
  /** The record whose holder leads; `undefined` if no leader is known. */
  | { readonly kind: 'leader'; readonly record: LedgerRecord | undefined }
  /** Read the register again from its start (L11, L12). */
  | { readonly kind: 'reread' }
  /** Something that was read does not count. `what` names it in `health().ignored`. */
  | { readonly kind: 'ignored'; readonly what: string }
  /** A safety assumption was violated; `rule` names the rule that detected it. */
  | { readonly kind: 'broken'; readonly rule: string };

/** The result of a step. */
export interface Step {
  readonly state: PartitionState;
  readonly outputs: readonly LedgerOutput[];
  /** The latest instant at which to call `step` again with `wake`. */
  readonly wakeAt: Instant;
}

export type Outcome = (LedgerInput & { readonly kind: 'written' })['outcome'];
