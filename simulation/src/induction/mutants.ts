// Every mutant of induction: the protocol with one rule replaced by a plausible mistake. `npm run
// simulate -- --mutant NAME` and the tests run worlds of each until the judge notices it.
import type { Mutant } from '../kernel/mutant.ts';
import { clockMutants } from './mutants-clock.ts';
import { leaseMutants } from './mutants-lease.ts';
import type { Overrides } from './scenario.ts';

/** All mutants that the simulation of induction catches. */
export const mutants: readonly Mutant<Overrides>[] = [...leaseMutants, ...clockMutants];
