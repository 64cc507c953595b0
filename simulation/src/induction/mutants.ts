// A mutant replaces one rule of induction with a plausible wrong one. If the simulation cannot
// distinguish a mutant from the real protocol, the world or the rule is incomplete.
import type { InductionRules } from '@leadership/core/internal/induction';
import { clockMutants } from './mutants-clock.ts';
import { tenureMutants } from './mutants-tenure.ts';

/** Induction with one rule replaced. */
export interface InductionMutant {
  /** Short description of the defect, in kebab case. */
  readonly name: string;
  /** The rule it breaks. */
  readonly rule: string;
  /** Description of the defect, as a sentence without its subject. */
  readonly does: string;
  /** The scenario that provokes the defect best. */
  readonly scenario: string;
  /** The rule or the counter that exposes the defect. */
  readonly shows: string;
  readonly departure: Partial<InductionRules>;
}

/** All mutants that the simulation of induction catches. */
export const inductionMutants: readonly InductionMutant[] = [...tenureMutants, ...clockMutants];
