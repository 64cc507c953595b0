import type { LeadershipError } from './leadership-error.ts';
import type { Term } from './term.ts';

/** Why belief ended at once (H4). */
export type LossReason = 'expired' | 'superseded' | 'drain-timed-out' | 'suspended' | 'partitions-differ' | 'closed';

/**
 * Where this member stands towards one role (H1).
 * `leading` — start; `revoking` — finish what you are doing, the successor waits for you; `fenced` — stop now, a successor may already act.
 * `refused` is terminal: the backend refused this member for good, and nothing follows.
 */
export type Leadership =
  | { readonly state: 'observing' }
  | { readonly state: 'waiting' }
  | { readonly state: 'leading'; readonly term: Term }
  | { readonly state: 'revoking'; readonly term: Term }
  | { readonly state: 'fenced'; readonly term: Term; readonly reason: LossReason }
  | { readonly state: 'refused'; readonly error: LeadershipError };
