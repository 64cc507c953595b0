// A mutant is one rule of the protocol replaced by a plausible wrong one. If the simulated world does not tell a mutant from
// the real thing, the world, or the rule, is missing something.
import { hostMutants } from './mutants-host.ts';
import { leaseMutants } from './mutants-lease.ts';
import { livenessMutants } from './mutants-liveness.ts';
import { readingMutants } from './mutants-reading.ts';
import { tokenMutants } from './mutants-token.ts';
import type { Departure } from './simulate.ts';

/** One rule replaced. */
export interface Mutant {
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
  readonly departure: Departure;
  /** Seeds whose worlds show it within hours, where not every world does. Default: any. */
  readonly seeds?: readonly number[];
}

/** Every mutant the simulation is known to catch. */
export const mutants: readonly Mutant[] = [...tokenMutants, ...readingMutants, ...leaseMutants, ...hostMutants, ...livenessMutants];
