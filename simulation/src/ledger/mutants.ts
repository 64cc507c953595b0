// A mutant replaces one rule of the protocol with a plausible wrong one. If the simulation cannot
// distinguish a mutant from the real protocol, the world or the rule is incomplete.
import type { MutantOf } from '../kernel/mutant.ts';
import { hostMutants } from './mutants-host.ts';
import { leaseMutants } from './mutants-lease.ts';
import { livenessMutants } from './mutants-liveness.ts';
import { readingMutants } from './mutants-reading.ts';
import { tokenMutants } from './mutants-token.ts';
import type { Departure } from './simulate.ts';

/** The ledger lease with one rule replaced. */
export type Mutant = MutantOf<Departure>;

/** All mutants that the simulation catches. */
export const mutants: readonly Mutant[] = [
  ...tokenMutants,
  ...readingMutants,
  ...leaseMutants,
  ...hostMutants,
  ...livenessMutants,
];
