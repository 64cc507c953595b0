// Everything that can happen to a member: the messages, commands and results that the machine in
// `step.ts` receives.
import type { TermInput } from '@leadership/core/internal/engine';
import type { Epoch } from './electorate.ts';
import type { Item, Sender } from './message.ts';

/** An input of a member. `step` receives one at a time. */
export type NerioInput =
  | { readonly kind: 'wake' }
  /** A message from another member, and the epoch in which it was sent. */
  | {
      readonly kind: 'received';
      readonly from: Sender;
      readonly epoch: number;
      readonly item: Item;
    }
  /** The member has answered with the same pin, or cannot be reached now (R4). */
  | { readonly kind: 'tried'; readonly member: string }
  /** The member of the group has another pin (R4). */
  | { readonly kind: 'differs'; readonly member: string }
  /** Other members can connect to this one from now on. */
  | { readonly kind: 'listening' }
  /**
   * Starts or stops the campaign: for one partition, or for all if none is given. A new campaign
   * ends the abstention after a resignation.
   */
  | { readonly kind: 'campaign'; readonly on: boolean; readonly partition?: number | undefined }
  | { readonly kind: 'resign'; readonly partition: number; readonly atLeastMs: number }
  | TermInput
  /** Create an edict now (N8). */
  | { readonly kind: 'edict'; readonly partition: number; readonly id: number }
  /** Verify whether that member leads (N12). */
  | {
      readonly kind: 'verify';
      readonly partition: number;
      readonly member: string;
      readonly id: number;
    }
  /** Find the leader. Wait for the answer for `timeoutMs` at most (N11). */
  | {
      readonly kind: 'find';
      readonly partition: number;
      readonly id: number;
      readonly timeoutMs: number;
    }
  /**
   * End the epoch and continue with this one. The protocol sets the number and the tokens (N13).
   */
  | { readonly kind: 'reconfigure'; readonly next: Pick<Epoch, 'members' | 'quorums'> };
