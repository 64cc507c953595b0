// The rules that hold outside the engine: in the host (H), in the reader and in the store. Like the engine's, each is a
// function of its own, so that a mutant is one rule replaced.
import type { LedgerRecord, Written } from '@leadership/core/ledger';
import type { Local } from './clock.ts';
import type { Belief } from './world.ts';

/** The rules of a term's host (H), each a function of its own: a mutant is one replaced. */
export interface HostRules {
  /** H4, H5: whether who asks at `now` is told that it leads. */
  believes(belief: Belief, now: Local): boolean;
  /** H2: whether proofs are sent on while work drains. */
  readonly provesWhileDraining: boolean;
  /** H3: what the host does when the work has had its time. */
  readonly onDrainTimeout: 'leave-to-lapse' | 'release' | 'wait-on';
  /** L3: what an append that the store acknowledged means. */
  readonly appended: Written;
  /** L5: when news counts as arrived, where the reader asked for it at `askedAt`. */
  arrivedAt(askedAt: Local, repliedAt: Local): Local;
  /** L1: whether a store that compares lets `record` replace `current`. */
  replaces(current: LedgerRecord | null, record: LedgerRecord): boolean;
}

/** The rules as PROTOCOLS has them. */
export const hostRules: HostRules = {
  believes: (belief, now) => belief.ended === 'no' && now < belief.until,
  provesWhileDraining: true,
  onDrainTimeout: 'leave-to-lapse',
  appended: 'placed',
  arrivedAt: (_askedAt, repliedAt) => repliedAt,
  replaces: (current, record) => record.after === (current?.id ?? null),
};
