// Everything that a step of the machine in `step.ts` may ask its process to do. Rule numbers such
// as H6: docs/reference/rules.md.
import type { Instant } from '@leadership/core/adapter';
import type { TermOutput } from '@leadership/core/internal/engine';
import type { KnownLeader } from './election/state.ts';
import type { Message } from './message.ts';
import type { MemberState } from './state.ts';

/** The effects of a step, in this order. */
export type ScuttlebuttOutput =
  | { readonly kind: 'send'; readonly to: string; readonly message: Message }
  /** The term of a partition begins, goes on or ends in order. */
  | (Exclude<TermOutput, { readonly kind: 'lost' }> & { readonly partition: number })
  /** The proof has expired. */
  | { readonly kind: 'lost'; readonly partition: number }
  /** The known leader; `undefined` if none is known. */
  | {
      readonly kind: 'leader';
      readonly partition: number;
      readonly leader: KnownLeader | undefined;
    }
  /** A member of the group has another pin. `isFinal`: this member refuses to take part (R4). */
  | { readonly kind: 'differs'; readonly member: string; readonly isFinal: boolean }
  /**
   * This member has started again with a later generation: another process has used its name, or its
   * clock stopped for a while.
   */
  | { readonly kind: 'renewed'; readonly generation: number }
  /** The entry was not written: it is too long, or there are too many. */
  | { readonly kind: 'full' }
  /** A part of a message was dropped. */
  | { readonly kind: 'implausible'; readonly parts: number };

/** The result of a step. */
export interface Step {
  readonly state: MemberState;
  readonly outputs: readonly ScuttlebuttOutput[];
  /** The latest instant of the next input. */
  readonly wakeAt: Instant;
}
