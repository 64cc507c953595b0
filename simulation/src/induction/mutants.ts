import type { Mutant } from '../kernel/mutant.ts';
import { clockMutants } from './mutants-clock.ts';
import { leaseMutants } from './mutants-lease.ts';
import type { Overrides } from './scenario.ts';

/** All mutants that the simulation of induction catches. */
export const mutants: readonly Mutant<Overrides>[] = [...leaseMutants, ...clockMutants];
