// A mutant is one rule of induction replaced by a plausible wrong one. If the simulated world does not tell a mutant from the real
// thing, the world, or the rule, is missing something.
import type { InductionRules } from '@leadership/core/engine';
import { clockMutants } from './mutants-clock.ts';
import { tenureMutants } from './mutants-tenure.ts';

/** One rule of induction replaced. */
export interface InductionMutant {
  /** What it does wrong, in a few words: kebab case. */
  readonly name: string;
  /** The rule it breaks. */
  readonly rule: string;
  /** What it does wrong, in a sentence. */
  readonly does: string;
  /** The scenario that provokes it best. */
  readonly scenario: string;
  /** The rule or the counter it is caught by. */
  readonly shows: string;
  readonly departure: Partial<InductionRules>;
}

/** Every mutant the simulation of induction is known to catch. */
export const inductionMutants: readonly InductionMutant[] = [...tenureMutants, ...clockMutants];
