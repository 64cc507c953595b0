// The inputs and outputs of a member.
import type { Capacity, KnownLeader, KnownMember, Publication } from '../contract/backend.ts';
import type { Metadata } from '../contract/leader.ts';
import type { LeadershipErrorCode } from '../contract/leadership-error.ts';
import type { Exchange, Exchanged, NamedText, RowsTraits } from '../rows/rows.ts';
import type { Instant } from '../time/instant.ts';
import type { Basis } from './records.ts';

/** The constants of a member. */
export interface LeaseConfig {
  readonly group: string;
  readonly member: string;
  readonly incarnation: string;
  readonly metadata: Metadata;
  readonly partitions: number;
  /** T of this member. Milliseconds. */
  readonly thresholdMs: number;
  /** The longest T that a member of the group may have. Milliseconds. */
  readonly thresholdMsMax: number;
  /** By how much the clocks of two members may differ in speed, as a fraction. */
  readonly driftRate: number;
  readonly campaign: boolean;
  /** The greatest number of partitions that it leads at once (M13). Default: all. */
  readonly partitionsMax?: number;
  /** In [0, 1): spreads the delays of the members. */
  readonly jitter: number;
  readonly traits: RowsTraits;
  /** Whether nothing notifies this member, so that it only polls. Default `false`. */
  readonly isSilent?: boolean;
  /** Values beside M and T_max that all members must have which name them, by option (R3). */
  readonly pinned?: Readonly<Record<string, string>>;
  /** The part of the group that this machine leads (M12). Default: all of it. */
  readonly shard?: Shard;
  /** Whether the store keeps the greatest token in a second place (T1). Default `false`. */
  readonly hasFloor?: boolean;
}

/** One of the stores of a group, and the partitions in it. */
interface Shard {
  readonly index: number;
  /** The number of stores of the group. */
  readonly shards: number;
  /** The number of partitions of the group. */
  readonly partitions: number;
}

/** What a member publishes, and has reported of the others. No decision depends on it. */
export interface Listing {
  /** When it began to take part, by its wall clock. Milliseconds since 1970. */
  since: number;
  publication: Publication;
  /** Whether a report may be due, and the last one. */
  isStale: boolean;
  report: string;
}

/** An event for a member. */
export type Input =
  /** Time has passed, or inputs of this turn were noted: decide. */
  | { readonly kind: 'wake' }
  /** The answer to an exchange; `hasMore` if further rows of it follow. */
  | {
      readonly kind: 'exchanged';
      readonly id: number;
      readonly answer: Exchanged;
      readonly hasMore?: boolean;
    }
  /** The token that the second place has now. */
  | { readonly kind: 'floor'; readonly id: number; readonly token: bigint }
  /** An exchange, or a call of the second place, has failed, or has no answer in time: every outcome of it is unknown. */
  | {
      readonly kind: 'failed';
      readonly id: number;
      readonly code: LeadershipErrorCode;
      readonly message: string;
    }
  /**
   * Rows have changed; or, with `rows`, were given these texts, which asks for no reading. It may be
   * lost, late or repeated.
   */
  | { readonly kind: 'notified'; readonly rows?: readonly NamedText[] }
  /** Whether this member is a candidate for that partition, or for any. */
  | { readonly kind: 'campaign'; readonly on: boolean; readonly partition?: number }
  /**
   * Lets the placement decide whether this member leads a partition; or another source, which wants
   * it here, in terms with tokens greater than `above`, or wants it not here.
   */
  | {
      readonly kind: 'prefer';
      readonly partition: number;
      readonly who: 'placement' | 'self' | 'nobody';
      readonly above?: bigint;
    }
  /** Give up the partition, and do not claim it for that long. */
  | { readonly kind: 'resign'; readonly partition: number; readonly abstainMs: number }
  /** A store outside has accepted that token: later terms have greater ones (T1). */
  | { readonly kind: 'exceed'; readonly partition: number; readonly token: bigint }
  /**
   * The work of the term has ended; or it was given up and may still run (H3); or the host has ended
   * the term itself.
   */
  | {
      readonly kind: 'drained' | 'fenced' | 'over';
      readonly partition: number;
      readonly token: bigint;
    }
  /** The process of that incarnation is proved dead. */
  | { readonly kind: 'died'; readonly incarnation: string }
  /** This member publishes other values, from its next renewal on. It asks for none. */
  | ({ readonly kind: 'publish' } & Publication)
  /** The store refuses this member for good, before it takes part: ask no more. */
  | { readonly kind: 'refuse' }
  /** Give up everything, then stop. */
  | { readonly kind: 'close' };

/** An action of a member. */
export type Output =
  /** Ask the store. There is at most one exchange without an answer. */
  | ({ readonly kind: 'exchange'; readonly id: number; readonly limitMs: number } & Exchange)
  /** Raise the second place to that token; without one, read it. */
  | {
      readonly kind: 'floor';
      readonly id: number;
      readonly limitMs: number;
      readonly raise?: bigint;
    }
  /** A term begins. It ends with the deadline of the session. */
  | { readonly kind: 'granted'; readonly partition: number; readonly token: bigint }
  /** The deadline of all terms of this member. The exchange that proves it was sent at `sentAt`. */
  | { readonly kind: 'prolonged'; readonly until: Instant; readonly sentAt: Instant }
  /** End the work of the term. */
  | { readonly kind: 'drain'; readonly partition: number; readonly token: bigint }
  /** The term has ended in order. */
  | { readonly kind: 'released'; readonly partition: number }
  /** The term has ended at once. */
  | { readonly kind: 'lost'; readonly partition: number; readonly reason: 'expired' | 'superseded' }
  /** The leader of a partition, as far as this member has read. */
  | {
      readonly kind: 'leader';
      readonly partition: number;
      readonly leader: KnownLeader | undefined;
      /** The record by which the leader before was reported. Absent: there was none. */
      readonly before?: Basis;
    }
  /** All present members, if something has changed of what this member has read of them. */
  | { readonly kind: 'members'; readonly members: readonly KnownMember[] }
  /** The present candidates may lead fewer partitions than there are (M13); `undefined`: all. */
  | { readonly kind: 'capacity'; readonly capacity: Capacity | undefined }
  /** A trouble begins, or has another message; it ends with `mended` of the same topic. */
  | {
      readonly kind: 'trouble';
      readonly topic: Topic;
      readonly code: LeadershipErrorCode;
      readonly message: string;
      readonly cause?: unknown;
    }
  | { readonly kind: 'mended'; readonly topic: Topic }
  /** The store contradicts what was read or written of a partition. */
  | { readonly kind: 'broken'; readonly partition: number; readonly rule: string }
  /** Nothing of that incarnation is left to end. */
  | { readonly kind: 'buried'; readonly incarnation: string }
  /** A row that this member cannot read. */
  | { readonly kind: 'ignored'; readonly what: string }
  | { readonly kind: 'confirmed' | 'ready' | 'closed' }
  /** The group refuses this member for good. */
  | {
      readonly kind: 'refused';
      readonly code: LeadershipErrorCode;
      readonly message: string;
      readonly cause?: unknown;
    };

/** The subject of a trouble. */
export type Topic = 'store' | 'floor' | 'history' | 'partition' | 'pin' | 'group';

/** The actions of a step, and when the next `wake` is due at the latest. */
export interface Step {
  readonly outputs: readonly Output[];
  readonly wakeAt: Instant;
}
