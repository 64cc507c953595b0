import type { Mutant } from './mutants.ts';

/** Mutants of the change of members: N13. */
export const epochMutants: readonly Mutant[] = [
  {
    name: 'wedge-forgotten',
    rule: 'N13',
    does: 'has lost, after a restart, that it must not grant in the epoch any more',
    clocks: 'drift',
    scenario: 'torn-epochs',
    shows: 'N13',
    departure: { host: { keptVow: ({ epoch }) => ({ epoch, wedge: undefined }) } },
  },
  {
    name: 'wedge-while-leased',
    rule: 'N13',
    does: 'ends an epoch although the lease is out',
    clocks: 'both',
    scenario: 'reconfigured',
    shows: 'N2',
    departure: { nerio: { mayWedge: () => true } },
  },
  {
    name: 'epoch-without-a-quorum',
    rule: 'N13',
    does: 'begins the next epoch once any one voter is wedged',
    clocks: 'both',
    scenario: 'reconfigured',
    shows: 'N13',
    departure: { nerio: { terminates: (_quorums, wedged) => wedged !== 0 } },
  },
];
