import { type Mutant, mutant } from '../kernel/mutant.ts';
import type { Overrides } from './mutants.ts';

/** Mutants of the limits of members (M13). */
export const limitMutants: readonly Mutant<Overrides>[] = [
  mutant('M13', 'ignores-its-limit', 'limits, too few', 'M13', {
    does: 'claims, and leads, more partitions than it says',
    overrides: { rules: { mayTake: () => true, mayBegin: () => true } },
  }),
  mutant('M13', 'claims-beyond-its-limit', 'limits, too few', 'M13', {
    does: 'claims more partitions than it says, and releases them again',
    overrides: { rules: { mayTake: () => true } },
  }),
  mutant('M13', 'begins-beyond-its-limit', 'limits, too few', 'M13', {
    seeds: [1, 3, 4],
    does: 'begins a term by every record that names its session, though it is at its limit',
    overrides: { rules: { mayBegin: () => true } },
  }),
  mutant('M13', 'ignores-the-limit-of-the-heir', 'limits, too few', 'M13', {
    does: 'hands over to a session that has all that it may lead',
    overrides: { rules: { mayReceive: () => true } },
  }),
  mutant('M13', 'forgets-claims-on-the-way', 'limits, too few', 'M13', {
    does: 'does not count the claims that it has sent',
    overrides: { rules: { countsClaims: () => false } },
  }),
  mutant('M13', 'places-beyond-limits', 'limits', 'even', {
    does: 'spreads the partitions as if no member had a limit',
    overrides: { rules: { placedLimit: () => Number.POSITIVE_INFINITY } },
  }),
];
