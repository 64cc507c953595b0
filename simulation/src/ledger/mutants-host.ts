// Wrong versions of the rules of a source (H), which the simulation must catch.
import { type Mutant, mutant } from '../kernel/mutant.ts';
import type { Overrides } from './rules.ts';

/** Mutants of the drain barrier: H. */
export const hostMutants: readonly Mutant<Overrides>[] = [
  mutant('H2', 'released-before-drained', 'moving', 'H2', {
    does: 'releases before the work has drained',
    overrides: { rules: { mayRelease: () => true } },
  }),
  mutant('H2', 'no-proof-while-draining', 'long-drains', 'renewalGaps', {
    does: 'stops renewing its lease while the work drains',
    overrides: { store: { provesWhileDraining: false } },
  }),
  mutant('H3', 'drain-without-end', 'long-drains', 'H3', {
    does: 'waits forever for work that never settles',
    overrides: { host: { drainTimeoutMs: () => Number.POSITIVE_INFINITY } },
  }),
  mutant('H3', 'drain-timeout-releases', 'long-drains', 'H3', {
    does: 'releases the lease when the drain times out, so that a successor starts at once',
    overrides: { host: { lapses: false } },
  }),
  mutant('H5', 'belief-by-flag', 'rainy', 'exclusive', {
    does: 'reports leadership from a flag that a timer sets, not from the clock',
    overrides: { host: { believes: ({ token }) => token !== undefined } },
  }),
];
