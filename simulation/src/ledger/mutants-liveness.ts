import { ledgerRules } from '@leadership/core/internal/ledger';
import type { Mutant } from './mutants.ts';

const { takesEffect, precedes } = ledgerRules;

/** Mutants that stay safe but fail to lead. A counter shows each of them. */
export const livenessMutants: readonly Mutant[] = [
  {
    name: 'release-ignored',
    rule: 'L6',
    does: 'waits for the expiry of a lease that was released',
    scenario: 'moving',
    shows: 'leaderlessShare',
    departure: {
      ledger: {
        takesEffect: (effect, record) => record.kind !== 'release' && takesEffect(effect, record),
        precedes: (record, best) => record.kind !== 'release' && precedes(record, best),
      },
    },
  },
  {
    name: 'aged-want-answered',
    rule: 'L7',
    does: 'hands over to a member whose request is old, and which may have stopped',
    scenario: 'fickle',
    shows: 'needlessMoves',
    departure: {
      ledger: { wantMs: (thresholdMs) => ({ every: thresholdMs / 4, fresh: 20 * thresholdMs }) },
    },
  },
  {
    name: 'older-version-overlooked',
    rule: 'L11',
    does: 'skips a version that is older than the one in effect',
    scenario: 'restored',
    shows: 'leaderlessShare',
    departure: { ledger: { wentBack: () => false, refutes: () => false } },
  },
  {
    name: 'refusals-overlooked',
    rule: 'L11',
    does: 'writes over a record again and again although the store refuses each write',
    scenario: 'restored-unseen',
    shows: 'leaderlessShare',
    departure: { ledger: { refutes: () => false } },
  },
  {
    name: 'forgotten-want-answered',
    rule: 'L7',
    does: 'restarts its reader together with all others, and hands over to a member that has forgotten its request',
    scenario: 'rolled',
    shows: 'needlessMoves',
    departure: { ledger: { heardAfterRestart: (heard) => heard } },
  },
  {
    name: 'asks-without-writing',
    rule: 'L7',
    does: 'requests leases again and again although it cannot write, and lets each of them lapse',
    scenario: 'denied',
    shows: 'leaderlessShare',
    departure: { ledger: { askPauseMs: () => 0 } },
  },
  {
    name: 'renews-too-seldom',
    rule: 'L8',
    does: 'renews so late that a single failure lets the lease expire',
    scenario: 'calm',
    shows: 'renewalGaps',
    departure: { ledger: { renewMs: (thresholdMs) => thresholdMs } },
  },
  {
    name: 'no-hysteresis',
    rule: 'L9',
    does: 'moves a partition whenever the placement changes',
    scenario: 'moving',
    shows: 'needlessMoves',
    departure: { ledger: { settleMs: () => 0 } },
  },
  {
    name: 'no-stagger',
    rule: 'L9',
    does: 'claims as a stand-in at the same time as the preferred member',
    scenario: 'crashes',
    shows: 'needlessMoves',
    departure: { ledger: { staggerMs: () => 0 } },
  },
];
