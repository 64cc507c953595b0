import type { LossReason } from '@leadership/core';
import type { Instant } from '@leadership/core/backend';
import type { EdictStamp } from './edict.ts';
import type { Electorate, Epoch } from './electorate.ts';
import type { Members } from './members.ts';
import type { Item, Sender } from './message.ts';
import type { KnownLeader, MemberState, Vow } from './state.ts';

/** What a step wants done, in this order. */
export type NerioOutput =
  /** To these members of that epoch. */
  | { readonly kind: 'send'; readonly electorate: Electorate; readonly to: Members; readonly item: Item }
  /** To these members by name, of whatever epoch. */
  | { readonly kind: 'tell'; readonly epoch: number; readonly to: readonly string[]; readonly item: Item }
  /** To be on disk before anything that follows it is sent (N13). */
  | { readonly kind: 'persist'; readonly vow: Vow }
  | { readonly kind: 'granted'; readonly partition: number; readonly token: bigint; readonly until: Instant; readonly sentAt: Instant }
  | { readonly kind: 'drain'; readonly partition: number }
  /** Belief ended in order. */
  | { readonly kind: 'released'; readonly partition: number }
  | { readonly kind: 'lost'; readonly partition: number; readonly reason: LossReason }
  /** Who leads, `undefined` when nobody is known to. */
  | { readonly kind: 'leader'; readonly partition: number; readonly leader: KnownLeader | undefined }
  /** The weak leader, which proves nothing (N14): a member of the epoch by index, −1 for none. */
  | { readonly kind: 'weak'; readonly partition: number; readonly index: number }
  /** An edict was created; to be sent only before `until`, looked at right before (N8). */
  | { readonly kind: 'stamped'; readonly id: number; readonly stamp: EdictStamp; readonly until: Instant }
  /** No edict was created: this member does not lead. */
  | { readonly kind: 'void'; readonly id: number }
  /** The member answered; `rules.relies` says how long that counts (N12). */
  | { readonly kind: 'verified'; readonly id: number; readonly verdict: Verdict }
  | { readonly kind: 'found'; readonly id: number; readonly leader: Sender | undefined }
  /** That member has another pin, and this one is a newcomer: it never takes part (R4). */
  | { readonly kind: 'refused'; readonly member: string }
  /** What was heard held a value that no member sends: it was dropped. */
  | { readonly kind: 'implausible' }
  /** A new epoch runs, as far as this member knows. */
  | { readonly kind: 'epoch'; readonly epoch: Epoch };

/** What an answer to a verification is worth. */
export interface Verdict {
  readonly partition: number;
  /** Who answered. */
  readonly leader: Sender;
  /** When the question was sent, by the clock of who asked. */
  readonly startedAt: number;
  readonly remainderMs: number;
}

/** What a step leads to. */
export interface Step {
  readonly state: MemberState;
  readonly outputs: readonly NerioOutput[];
  /** When to step with `wake` at the latest. */
  readonly wakeAt: Instant;
}
