// Wrong versions of the ledger lease that never elect two leaders, but too often none: the
// simulation must catch them by a counter, such as the share of time without a leader.
import { ledgerRules } from '@leadership/core/internal/ledger';
import { type Mutant, mutant } from '../kernel/mutant.ts';
import type { Overrides } from './rules.ts';

const { takesEffect, precedes, retryMs } = ledgerRules;

/** Mutants that stay safe but fail to lead. A counter shows each of them. */
export const livenessMutants: readonly Mutant<Overrides>[] = [
  mutant('L6', 'release-ignored', 'moving', 'leaderlessShare', {
    does: 'waits for the expiry of a lease that was released',
    overrides: {
      rules: {
        takesEffect: (effect, record) => record.kind !== 'release' && takesEffect(effect, record),
        precedes: (record, best) => record.kind !== 'release' && precedes(record, best),
      },
    },
  }),
  mutant('L7', 'aged-request-answered', 'fickle', 'needlessMoves', {
    does: 'hands over to a member whose request is old, and which may have stopped',
    overrides: {
      rules: { requestMs: (thresholdMs) => ({ every: thresholdMs / 4, fresh: 20 * thresholdMs }) },
    },
  }),
  mutant('L11', 'older-version-overlooked', 'restored', 'leaderlessShare', {
    does: 'skips a version that is older than the one in effect',
    overrides: { rules: { wentBack: () => false, refutes: () => false } },
  }),
  mutant('L11', 'refusals-overlooked', 'restored-unseen', 'leaderlessShare', {
    does: 'writes over a record again and again although the store refuses each write',
    overrides: { rules: { refutes: () => false } },
  }),
  mutant('L7', 'forgotten-request-answered', 'rolled', 'needlessMoves', {
    does: 'restarts its reader together with all others, and hands over to a member that has forgotten its request',
    overrides: { rules: { requestsAfterRestart: (pending) => pending } },
  }),
  mutant('L7', 'asks-without-writing', 'denied', 'leaderlessShare', {
    does: 'requests leases again and again although it cannot write, and lets each of them lapse',
    overrides: { rules: { requestPauseMs: () => 0 } },
  }),
  mutant('L4', 'retries-ever-later', 'briefly-denied', 'needlessMoves', {
    does: 'waits longer and longer before it repeats a renewal, even if its lease ends meanwhile',
    overrides: {
      rules: {
        retryMs: (thresholdMs, unanswered) =>
          retryMs(thresholdMs, unanswered, Number.POSITIVE_INFINITY),
      },
    },
  }),
  mutant('L8', 'renews-too-seldom', 'calm', 'renewalGaps', {
    does: 'renews so late that a single failure lets the lease expire',
    overrides: { rules: { renewMs: (thresholdMs) => thresholdMs } },
  }),
  mutant('L9', 'no-hysteresis', 'moving', 'needlessMoves', {
    does: 'moves a partition whenever the placement changes',
    overrides: { rules: { settleMs: () => 0 } },
  }),
  mutant('L9', 'no-stagger', 'crashes', 'needlessMoves', {
    does: 'claims as a stand-in at the same time as the preferred member',
    overrides: { rules: { staggerMs: () => 0 } },
  }),
];
