// Wrong versions of rules N4 and N13, about changes of members and stored state, which the
// simulation must catch.
import { meetsEveryQuorum } from '@leadership/nerio/internal/protocol';
import { type Mutant, mutant } from '../kernel/mutant.ts';
import type { Overrides } from './rules.ts';

/** Mutants of membership change and of durable state: N13, N4. */
export const epochMutants: readonly Mutant<Overrides>[] = [
  mutant('N13', 'wedge-forgotten', 'torn-epochs', 'N13', {
    does: 'forgets its wedge in a restart, and grants in an epoch that it helped to end',
    overrides: { driver: { storedState: ({ epoch }) => ({ epoch, wedge: undefined }) } },
    variant: 'drift',
    worldMs: 300_000,
    seeds: [29, 31, 1],
  }),
  mutant('N13', 'wedge-while-leased', 'reconfigured', 'N2', {
    does: 'ends an epoch although the lease is granted',
    overrides: { rules: { mayWedge: () => true } },
  }),
  mutant('N13', 'epoch-without-a-quorum', 'reconfigured', 'N13', {
    does: 'begins the next epoch once any one voter is wedged, and wedges every voter that it can reach',
    overrides: { rules: { terminates: (_quorums, wedged) => wedged !== 0, canEnd: () => true } },
    worldMs: 300_000,
    seeds: [38, 37, 36],
  }),
  mutant('N4', 'new-in-every-epoch', 'diskless', 'N2', {
    does: 'grants at once in an epoch that it enters, although it has no directory and may have granted there before',
    overrides: { rules: { isNew: () => true } },
    worldMs: 1_200_000,
    seeds: [46, 37, 1],
  }),
  mutant('N13', 'loss-forgotten', 'torn-disks', 'N13', {
    does: 'takes part again in the first life that is not told of the loss of its directory',
    overrides: { driver: { storedState: ({ epoch, wedge }) => ({ epoch, wedge }) } },
    worldMs: 120_000,
  }),
  mutant('N13', 'epoch-by-hearsay', 'slandered', 'N13', {
    does: 'enters a later epoch because one member reports it',
    overrides: { rules: { isProven: () => true } },
    seeds: [12, 9, 69],
  }),
  mutant('R4', 'refuses-only-if-outvoted', 'redeployed', 'exclusive', {
    does: 'takes part beside members of another configuration, as long as a quorum of its own may follow',
    overrides: { rules: { refuses: meetsEveryQuorum } },
  }),
  mutant('R4', 'goes-on-beside-another-pin', 'redeployed', 'exclusive', {
    does: 'takes part regardless of the configuration of others',
    overrides: { rules: { refuses: () => false } },
  }),
  mutant('N4', 'proof-after-release', 'lone-slow-disk', 'exclusive', {
    does: 'reports a term once its grants are on disk, although it has released the term meanwhile',
    overrides: { driver: { proves: () => true } },
  }),
];
