import type { Metadata } from '../contract/leader.ts';
import type { LossReason } from '../contract/leadership.ts';
import type { Instant } from '../time/instant.ts';
import type { Fold } from './fold.ts';
import type { Want, Written } from './ledger.ts';
import type { Ranks } from './placement.ts';
import type { LedgerRecord } from './record.ts';

/** What one member is and was told: the same in every step of its life. */
export interface Contender {
  readonly group: string;
  readonly member: string;
  readonly incarnation: string;
  readonly partitions: number;
  readonly thresholdMs: number;
  readonly thresholdMsMax: number;
  readonly driftRate: number;
  readonly metadata?: Metadata;
  readonly shape: 'register' | 'log';
  /** Whether asking is cheap here (L7). */
  readonly asks: boolean;
  /** How far apart members may learn of one record (L9). Default 0. */
  readonly newsSpreadMs?: number;
  /** In [0, 1): tells this member's waits from others'. */
  readonly jitter: number;
}

/** A write of our own that may still take effect (L4). */
export interface Attempt {
  readonly id: string;
  /** The instant before it was sent (L3). */
  readonly sentAt: Instant;
}

/** A want of our own, and the instant before it was sent (L7). */
export interface OwnWant {
  readonly id: string;
  readonly sentAt: Instant;
}

/** Another member's want, as it reached us. */
export interface Heard {
  readonly want: Want;
  readonly receivedAt: Instant;
}

/** What this member is to the partition. */
export type Tenure =
  | { readonly kind: 'follower' }
  /** Believes to lead; while revoking, only until its work has drained. */
  | { readonly kind: 'leading' | 'revoking'; readonly token: bigint; readonly until: Instant }
  /** Belief is over, the release is not known to be in effect yet. Pointless after `until`: the lease has lapsed. */
  | { readonly kind: 'releasing'; readonly token: bigint; readonly until: Instant };

/** A tenure whose holder believes to lead, until a deadline. */
export type Believing = Tenure & { readonly kind: 'leading' | 'revoking' };

/** Why, since when, and how long at least, a member leaves a partition alone (L9). */
export interface Abstention {
  readonly since: Instant;
  readonly atLeastMs: number;
  /** `lapse`: what is still held is not released, so that work which was fenced gets another T to notice (H3). */
  readonly lease: 'release' | 'lapse';
}

/** Everything one member knows and intends about one partition. Plain data. */
export interface PartitionState {
  readonly self: Contender;
  readonly partition: number;
  readonly fold: Fold;
  readonly tenure: Tenure;
  /** The greatest token seen in effect: new ones are greater still, even when the store has lost everything (T1). */
  readonly seenToken: bigint;
  /** The greatest token this member led with (T3). */
  readonly ledToken: bigint;
  /** Whether the pin agrees: no claim before it does (R3). */
  readonly pin: 'unknown' | 'agrees' | 'differs';
  readonly campaigning: boolean;
  readonly abstention: Abstention | undefined;
  readonly attempts: readonly Attempt[];
  /** Sequence of the last id given out. */
  readonly sequence: number;
  /** When the next write, of whatever kind is due, may be sent. */
  readonly writeAt: Instant;
  readonly wants: readonly OwnWant[];
  readonly askAt: Instant;
  /** How many leases in a row were handed over to this member without one write that the store took since (L7). */
  readonly unproven: number;
  readonly heard: readonly Heard[];
  readonly ranks: Ranks | undefined;
  /** When the holder last changed, as far as we have read (L9). */
  readonly movedAt: Instant;
  /** How many writes in a row were not answered. */
  readonly unanswered: number;
  /** The id of the record in effect, where the store has refused a write over it (L11). */
  readonly refusedOver: string | undefined;
  /** Whether the register was asked for again and has not restarted yet. */
  readonly rereading: boolean;
  /** The record whose holder was last told as the leader. */
  readonly told: LedgerRecord | undefined;
}

/** What happens to a partition, one at a time. */
export type LedgerInput =
  | { readonly kind: 'record'; readonly record: LedgerRecord; readonly receivedAt: Instant }
  | { readonly kind: 'end' | 'restarted' | 'wake' }
  /** What became of the attempt `record`. */
  | { readonly kind: 'written'; readonly record: LedgerRecord; readonly outcome: Written | 'unknown' }
  | { readonly kind: 'ranks'; readonly ranks: Ranks }
  | { readonly kind: 'wanted'; readonly want: Want; readonly receivedAt: Instant }
  | { readonly kind: 'pin'; readonly pin: 'unknown' | 'agrees' | 'differs' }
  /** `above`: tokens given out from here on are greater than it. */
  | { readonly kind: 'campaign'; readonly on: boolean; readonly above?: bigint }
  | { readonly kind: 'resign'; readonly atLeastMs: number }
  /** The host's answer to `drain`. */
  | { readonly kind: 'drained' }
  /** The host ended the term by itself. `lapse`: leave the lease to lapse (H3). */
  | { readonly kind: 'fenced'; readonly lapse: boolean };

/** What a step wants done, in this order. */
export type LedgerOutput =
  | { readonly kind: 'write'; readonly record: LedgerRecord }
  | { readonly kind: 'ask'; readonly want: Want }
  | { readonly kind: 'granted'; readonly token: bigint; readonly until: Instant; readonly sentAt: Instant }
  | { readonly kind: 'drain' }
  /** Belief ended in order. */
  | { readonly kind: 'released' }
  | { readonly kind: 'lost'; readonly reason: LossReason }
  /** The record whose holder leads, `undefined` when nobody is known to. */
  | { readonly kind: 'leader'; readonly record: LedgerRecord | undefined }
  /** The register is to be read again from its start (L11, L12). */
  | { readonly kind: 'reread' }
  /** An assumption broke: says which rule noticed. */
  | { readonly kind: 'broken'; readonly rule: string };

/** The instant of a step: both clocks, read once. */
export interface Moment {
  readonly now: Instant;
  readonly wallMicros: number;
}

/** What a step leads to. */
export interface Step {
  readonly state: PartitionState;
  readonly outputs: readonly LedgerOutput[];
  /** When to step with `wake` at the latest. */
  readonly wakeAt: Instant;
}
