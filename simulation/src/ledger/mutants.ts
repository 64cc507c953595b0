// Every mutant of the ledger lease: the protocol with one rule replaced by a plausible mistake.
// `npm run simulate -- --mutant NAME` and the tests run worlds of each until the judge notices it.
import type { Mutant } from '../kernel/mutant.ts';
import { guardMutants } from './mutants-guard.ts';
import { hostMutants } from './mutants-host.ts';
import { leaseMutants } from './mutants-lease.ts';
import { livenessMutants } from './mutants-liveness.ts';
import { readingMutants } from './mutants-reading.ts';
import { tokenMutants } from './mutants-token.ts';
import type { Overrides } from './rules.ts';

/** All mutants that the simulation catches. */
export const mutants: readonly Mutant<Overrides>[] = [
  ...tokenMutants,
  ...readingMutants,
  ...leaseMutants,
  ...hostMutants,
  ...guardMutants,
  ...livenessMutants,
];
