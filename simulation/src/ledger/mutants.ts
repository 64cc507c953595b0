// A mutant replaces one rule of the protocol with a plausible wrong one. If the simulation cannot
// distinguish a mutant from the real protocol, the world or the rule is incomplete.
import { hostMutants } from './mutants-host.ts';
import { leaseMutants } from './mutants-lease.ts';
import { livenessMutants } from './mutants-liveness.ts';
import { readingMutants } from './mutants-reading.ts';
import { tokenMutants } from './mutants-token.ts';
import type { Departure } from './simulate.ts';

/** A protocol with one rule replaced. */
export interface Mutant {
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
  readonly departure: Departure;
  /**
   * Seeds whose worlds expose the defect within hours, if not every world does. Default: any seed.
   */
  readonly seeds?: readonly number[];
}

/** All mutants that the simulation catches. */
export const mutants: readonly Mutant[] = [
  ...tokenMutants,
  ...readingMutants,
  ...leaseMutants,
  ...hostMutants,
  ...livenessMutants,
];
