// Everything that a step of the machine in `step.ts` may ask its process to do: send, store,
// notify.
import type { Instant } from '@leadership/core/adapter';
import type { TermOutput } from '@leadership/core/internal/engine';
import type { EdictStamp } from './edict.ts';
import type { Electorate, Epoch } from './electorate.ts';
import type { KnownLeader } from './lease.ts';
import type { Members } from './members.ts';
import type { Item, Sender } from './message.ts';
import type { HardState, MemberState } from './state.ts';

/** The effects of a step, in this order. */
export type NerioOutput =
  /** Send to these members of that epoch. */
  | {
      readonly kind: 'send';
      readonly electorate: Electorate;
      readonly to: Members;
      readonly item: Item;
    }
  /** Send to these members by name, whatever their epoch. */
  | {
      readonly kind: 'send-by-name';
      readonly epoch: number;
      readonly to: readonly string[];
      readonly item: Item;
    }
  /** Write to disk before any later output of this step takes effect (N13). */
  | { readonly kind: 'persist'; readonly hardState: HardState }
  /** The term of a partition begins, goes on or ends. */
  | (TermOutput & { readonly partition: number })
  /** An election that was not the first one failed, and no quorum of voters answered in it. */
  | { readonly kind: 'unanswered'; readonly partition: number }
  /** The known leader; `undefined` if none is known. */
  | {
      readonly kind: 'leader';
      readonly partition: number;
      readonly leader: KnownLeader | undefined;
    }
  /**
   * The weak leader, which proves nothing (N14): the index of a member of the epoch, −1 for none.
   */
  | { readonly kind: 'weak'; readonly partition: number; readonly index: number }
  /**
   * An edict was created. Send it only before `until`, and check that right before sending (N8).
   */
  | {
      readonly kind: 'stamped';
      readonly id: number;
      readonly stamp: EdictStamp;
      readonly until: Instant;
    }
  /** No edict was created: this member does not lead. */
  | { readonly kind: 'void'; readonly id: number }
  /** The member has answered; `rules.relies` says how long the answer is valid (N12). */
  | { readonly kind: 'verified'; readonly id: number; readonly verdict: Verdict }
  | { readonly kind: 'found'; readonly id: number; readonly leader: Sender | undefined }
  /** The member has another pin, and this member is a newcomer: it never takes part (R4). */
  | { readonly kind: 'refused'; readonly member: string }
  /** A received message contained a value that no member sends, and was dropped. */
  | { readonly kind: 'implausible' }
  /** A new epoch runs, to this member's knowledge. */
  | { readonly kind: 'epoch'; readonly epoch: Epoch };

/** The answer to a verification. */
export interface Verdict {
  readonly partition: number;
  /** The member that answered. */
  readonly leader: Sender;
  /** The sending time of the query, by the clock of this member. */
  readonly startedAt: number;
  readonly remainderMs: number;
}

/** The result of a step. */
export interface Step {
  readonly state: MemberState;
  readonly outputs: readonly NerioOutput[];
  /** The latest time for the next step, with `wake`. */
  readonly wakeAt: Instant;
}

/** An edict's stamp, and the time before which it may be sent. */
export type Stamped = NerioOutput & { readonly kind: 'stamped' };
