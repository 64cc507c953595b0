import type { Mutant } from './mutants.ts';

/** Mutants of the change of members, and of what is on disk: N13, N4. */
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
    does: 'begins the next epoch once any one voter is wedged, and wedges whom it can',
    clocks: 'both',
    scenario: 'reconfigured',
    shows: 'N13',
    departure: { nerio: { terminates: (_quorums, wedged) => wedged !== 0, canEnd: () => true } },
  },
  {
    name: 'new-in-every-epoch',
    rule: 'N4',
    does: 'grants at once in an epoch that it enters, though it has no directory and may have granted there before',
    clocks: 'both',
    scenario: 'diskless',
    shows: 'N2',
    departure: { nerio: { isNew: () => true } },
  },
  {
    name: 'loss-forgotten',
    rule: 'N13',
    does: 'takes part again as soon as nobody says any more that its directory was lost',
    clocks: 'both',
    scenario: 'torn-disks',
    shows: 'N2',
    departure: { host: { keptVow: ({ epoch, wedge }) => ({ epoch, wedge }) } },
  },
  {
    name: 'proof-after-release',
    rule: 'N4',
    does: 'tells of a term once its grants are on disk, although it has given them back meanwhile',
    clocks: 'both',
    scenario: 'lone-slow-disk',
    shows: 'exclusive',
    departure: { host: { proves: () => true } },
  },
];
