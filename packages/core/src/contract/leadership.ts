import type { LeadershipError } from './leadership-error.ts';
import type { Term } from './term.ts';

/** Why a term ended at once (H4). */
export type LossReason =
  | 'expired'
  | 'superseded'
  | 'drain-timed-out'
  | 'suspended'
  | 'partitions-differ'
  | 'closed';

/**
 * The state of this member for one role (H1).
 * - `leading`: start working.
 * - `revoking`: finish the current work; the successor waits for it.
 * - `fenced`: stop now; a successor may already act.
 * - `refused`: the backend refused this member for good. No state follows.
 */
export type Leadership =
  | { readonly state: 'observing' }
  | { readonly state: 'waiting' }
  | { readonly state: 'leading'; readonly term: Term }
  | { readonly state: 'revoking'; readonly term: Term }
  | { readonly state: 'fenced'; readonly term: Term; readonly reason: LossReason }
  | { readonly state: 'refused'; readonly error: LeadershipError };
