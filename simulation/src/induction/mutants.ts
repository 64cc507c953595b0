// A mutant replaces one rule of induction with a plausible wrong one. If the simulation cannot
// distinguish a mutant from the real protocol, the world or the rule is incomplete.
import type { InductionRules } from '@leadership/core/internal/induction';
import type { MutantOf } from '../kernel/mutant.ts';
import { clockMutants } from './mutants-clock.ts';
import { tenureMutants } from './mutants-tenure.ts';

/** Induction with one rule replaced. */
export type InductionMutant = MutantOf<Partial<InductionRules>>;

/** All mutants that the simulation of induction catches. */
export const inductionMutants: readonly InductionMutant[] = [...tenureMutants, ...clockMutants];
