// Mutants that stay safe: what a calm world needs not is counted, and they cross the limits.
import { leaseRules } from '@leadership/core/internal/sessions';
import { type Mutant, mutant } from '../kernel/mutant.ts';
import type { Overrides } from './mutants.ts';

/** Mutants of renewals, retries and placement. */
export const livenessMutants: readonly Mutant<Overrides>[] = [
  mutant('M1', 'renews-too-seldom', 'calm', 'renewalGaps', {
    does: 'renews so late that a single failure lets the lease expire',
    overrides: { rules: { renewMs: (thresholdMs) => thresholdMs } },
  }),
  mutant('M1', 'retries-ever-later', 'briefly-cut', 'renewalGaps', {
    does: 'waits longer and longer before it repeats a renewal, even if its lease ends meanwhile',
    overrides: {
      rules: { retryMs: (thresholdMs, failures) => (2 ** failures * thresholdMs) / 12 },
    },
  }),
  mutant('L9', 'no-hysteresis', 'moving', 'needlessMoves', {
    does: 'asks for a partition whenever the placement changes',
    overrides: { rules: { settleMs: () => 0 } },
  }),
  mutant('L9', 'no-stagger', 'crashes', 'needlessMoves', {
    does: 'claims as a stand-in at the same time as the preferred member',
    overrides: { rules: { standInMs: () => 0 } },
  }),
  mutant('H2', 'no-proof-while-draining', 'long-drains', 'renewalGaps', {
    does: 'stops renewing its session while the work of a partition drains',
    overrides: {
      rules: {
        renewMs(thresholdMs, of) {
          const drains = [...of.led].some((index) => of.partitions[index]?.stage === 'draining');
          return drains ? Number.POSITIVE_INFINITY : leaseRules.renewMs(thresholdMs, of);
        },
      },
    },
  }),
];
