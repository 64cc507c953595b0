import type { Mutant } from './mutants.ts';

/** Mutants of the drain barrier: H. */
export const hostMutants: readonly Mutant[] = [
  {
    name: 'released-before-drained',
    rule: 'H2',
    does: 'releases before the work has drained',
    scenario: 'moving',
    shows: 'H2',
    departure: { ledger: { mayRelease: () => true } },
  },
  {
    name: 'no-proof-while-draining',
    rule: 'H2',
    does: 'stops renewing its lease while the work drains',
    scenario: 'long-drains',
    shows: 'renewalGaps',
    departure: { host: { provesWhileDraining: false } },
  },
  {
    name: 'drain-without-end',
    rule: 'H3',
    does: 'waits forever for work that never settles',
    scenario: 'long-drains',
    shows: 'H3',
    departure: { host: { onDrainTimeout: 'wait-on' } },
  },
  {
    name: 'drain-timeout-releases',
    rule: 'H3',
    does: 'releases the lease when the drain times out, so that a successor starts at once',
    scenario: 'long-drains',
    shows: 'H3',
    departure: { host: { onDrainTimeout: 'release' } },
  },
  {
    name: 'belief-by-flag',
    rule: 'H5',
    does: 'reports leadership from a flag that a timer sets, not from the clock',
    scenario: 'rainy',
    shows: 'exclusive',
    departure: { host: { believes: ({ ended }) => ended === 'no' } },
  },
];
