import type { Mutant } from './mutants.ts';

/** Mutants of the barrier: H. */
export const hostMutants: readonly Mutant[] = [
  {
    name: 'released-before-drained',
    rule: 'H2',
    does: 'releases as soon as it has asked the work to finish',
    scenario: 'moving',
    shows: 'H2',
    departure: { ledger: { mayRelease: () => true } },
  },
  {
    name: 'no-proof-while-draining',
    rule: 'H2',
    does: 'stops proving leadership while the work drains',
    scenario: 'long-drains',
    shows: 'renewalGaps',
    departure: { host: { provesWhileDraining: false } },
  },
  {
    name: 'drain-without-end',
    rule: 'H3',
    does: 'waits for work that never settles',
    scenario: 'long-drains',
    shows: 'H3',
    departure: { host: { onDrainTimeout: 'wait-on' } },
  },
  {
    name: 'drain-timeout-releases',
    rule: 'H3',
    does: 'fences work that has had its time, and lets a successor in at once',
    scenario: 'long-drains',
    shows: 'H3',
    departure: { host: { onDrainTimeout: 'release' } },
  },
  {
    name: 'belief-by-flag',
    rule: 'H5',
    does: 'answers whether it leads from what a timer set, not from the clock',
    scenario: 'rainy',
    shows: 'exclusive',
    departure: { host: { believes: ({ ended }) => ended === 'no' } },
  },
];
