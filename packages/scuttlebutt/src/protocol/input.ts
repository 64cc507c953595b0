// Everything that can happen to a member: the messages, commands and ticks that the machine in
// `step.ts` receives. Rule numbers such as H6: docs/reference/rules.md.
import type { TermInput } from '@leadership/core/internal/engine';
import type { Message } from './message.ts';

/** An input of a member. `step` receives one at a time. */
export type ScuttlebuttInput =
  | { readonly kind: 'wake' }
  /** The own clock stopped for a while (H6). All bounds on it may be ahead of it now. */
  | { readonly kind: 'clock-stopped' }
  /** A message of this group. The transport has checked who sent it. */
  | { readonly kind: 'received'; readonly message: Message }
  /** Starts or stops standing, for one partition, or for all if none is given. */
  | { readonly kind: 'campaign'; readonly on: boolean; readonly partition?: number | undefined }
  /** Drain and end the term. Count no votes for `atLeastMs`, and not for P. */
  | { readonly kind: 'resign'; readonly partition: number; readonly atLeastMs: number }
  | TermInput
  /** This life ends in order, once its terms have ended: a voter publishes its last vote (S7). */
  | { readonly kind: 'close' }
  /** Writes an entry of the application; `undefined` deletes it. */
  | { readonly kind: 'set'; readonly key: string; readonly value: string | undefined };
