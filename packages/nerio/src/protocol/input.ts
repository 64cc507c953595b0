import type { Epoch } from './electorate.ts';
import type { Item, Sender } from './message.ts';

/** What happens to a member, one at a time. */
export type NerioInput =
  | { readonly kind: 'wake' }
  /** Something another member said, in the epoch it was in. */
  | { readonly kind: 'heard'; readonly from: Sender; readonly epoch: number; readonly item: Item }
  /** That member has answered with the same pin, or cannot be reached now (R4). */
  | { readonly kind: 'tried'; readonly member: string }
  /** That member of the group has another pin (R4). */
  | { readonly kind: 'differs'; readonly member: string }
  /** Stands, or stands back: for one partition, or for all where none is given. Standing anew ends what a resignation began. */
  | { readonly kind: 'campaign'; readonly on: boolean; readonly partition?: number | undefined }
  | { readonly kind: 'resign'; readonly partition: number; readonly atLeastMs: number }
  /** The host's answer to `drain`. */
  | { readonly kind: 'drained'; readonly partition: number }
  /** The host ended the term by itself. `lapse`: leave the lease to lapse (H3). */
  | { readonly kind: 'fenced'; readonly partition: number; readonly lapse: boolean }
  /** An edict is to be created, now (N8). */
  | { readonly kind: 'edict'; readonly partition: number; readonly id: number }
  /** Does that member lead (N12)? */
  | { readonly kind: 'verify'; readonly partition: number; readonly member: string; readonly id: number }
  /** Who leads? Waits for an answer, so long at most (N11). */
  | { readonly kind: 'find'; readonly partition: number; readonly id: number; readonly patienceMs: number }
  /** The epoch is to end, and this one to follow: its number and tokens are the protocol's to set (N13). */
  | { readonly kind: 'reconfigure'; readonly next: Pick<Epoch, 'members' | 'quorums'> };
