// The rules outside the state machine: in the host (H), in the reader and in the store. Each rule
// is a function or value of its own, so that a mutant can replace exactly one.
import type { LedgerRecord, WriteOutcome } from '@leadership/core/adapter';
import type { Local } from '../kernel/clock.ts';
import type { Belief } from './world.ts';

/** The rules of the host (H), the reader and the store. */
export interface HostRules {
  /** H4, H5: whether the host reports leadership at `now`. */
  believes(belief: Belief, now: Local): boolean;
  /** H2: whether the host sends proofs while work drains. */
  readonly provesWhileDraining: boolean;
  /** H3: what the host does when work does not drain in time. */
  readonly onDrainTimeout: 'leave-to-lapse' | 'release' | 'wait-on';
  /** T1: when a member raises the floor to the token of a new term. */
  readonly raises: 'before-the-claim' | 'with-the-renewal';
  /** L3: the meaning of an append that the store acknowledged. */
  readonly appended: WriteOutcome;
  /** L5: when a reply counts as received, if the reader sent the request at `askedAt`. */
  arrivedAt(askedAt: Local, repliedAt: Local): Local;
  /** L1: whether a store with conditional writes replaces `current` with `record`. */
  replaces(current: LedgerRecord | null, record: LedgerRecord): boolean;
}

/** The rules as PROTOCOLS states them. */
export const hostRules: HostRules = {
  believes: (belief, now) => belief.ended === 'no' && now < belief.until,
  provesWhileDraining: true,
  onDrainTimeout: 'leave-to-lapse',
  raises: 'before-the-claim',
  appended: 'placed',
  arrivedAt: (_askedAt, repliedAt) => repliedAt,
  replaces: (current, record) => record.after === (current?.id ?? null),
};
