import { huntEveryMs } from '../kernel/outcome.ts';
import type { InductionMutant } from './mutants.ts';
import { inductionScenarioNamed } from './scenarios.ts';
import { type InductionOutcome, simulateInductionWhile } from './simulate.ts';

/**
 * Runs the scenario of a mutant until the mutant is caught, for at most `ms` simulated
 * milliseconds.
 */
export function huntInduction(
  { scenario, departure, shows }: InductionMutant,
  seed: number,
  ms: number,
): InductionOutcome {
  return simulateInductionWhile(inductionScenarioNamed(scenario), seed, ms, departure, {
    goesOn: ({ broken }) => (broken[shows] ?? 0) === 0,
    everyMs: huntEveryMs,
  });
}
