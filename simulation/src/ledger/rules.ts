// The rules of the ledger lease that the simulated reader and store apply, outside the state
// machine. Each rule is a function or value of its own, so that a mutant can replace exactly one.
import type { Instant } from '@leadership/core/adapter';
import type { LedgerRecord, WriteOutcome } from '@leadership/core/internal/ledger';
import { type LedgerRules, type Observation, provesDeath } from '@leadership/core/internal/ledger';
import type { HostRules } from '../kernel/world.ts';

/** The rules of the reader and the store. */
export interface StoreRules {
  /** H2: whether a member sends proofs while work drains. */
  readonly provesWhileDraining: boolean;
  /** T1: when a member raises the floor to the token of a new term. */
  readonly raises: 'before-the-claim' | 'with-the-renewal';
  /** L3: the meaning of an append that the store acknowledged. */
  readonly appended: WriteOutcome;
  /** L5: when a reply counts as received, if the reader sent the request at `askedAt`. */
  arrivedAt(askedAt: Instant, repliedAt: Instant): Instant;
  /** L1: whether a store with conditional writes replaces `current` with `record`. */
  replaces(current: LedgerRecord | null, record: LedgerRecord): boolean;
}

/** The rules of the protocol; tests replace single ones with mutants. */
export const storeRules: StoreRules = {
  provesWhileDraining: true,
  raises: 'before-the-claim',
  appended: 'placed',
  arrivedAt: (_askedAt, repliedAt) => repliedAt,
  replaces: (current, record) => record.after === (current?.id ?? null),
};

/** The rules of the guard and of the members that it observes (L13 to L15). */
export interface GuardRules {
  /** L13: what proves a death. */
  provesDeath(observation: Observation): boolean;
  /** L14: whether a member that leaves keeps its sockets until its belief has ended. */
  readonly keepsSocketsWhileBelieving: boolean;
  /** L15: what a member does that others may consider dead. */
  readonly exposed: 'new-incarnation' | 'same-incarnation' | 'goes-on';
}

/** The rules of the protocol; tests replace single ones with mutants. */
export const guardRules: GuardRules = {
  provesDeath,
  keepsSocketsWhileBelieving: true,
  exposed: 'new-incarnation',
};

/** Rules that replace those of the protocol. */
export interface Overrides {
  readonly rules?: Partial<LedgerRules>;
  readonly host?: Partial<HostRules>;
  readonly store?: Partial<StoreRules>;
  readonly guard?: Partial<GuardRules>;
  /** The node whose state machine uses the replaced `rules`. Default: all nodes. */
  readonly onlyNode?: number;
}
