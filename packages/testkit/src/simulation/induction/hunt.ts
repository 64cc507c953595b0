import { huntEveryMs } from '../simulate.ts';
import type { InductionMutant } from './mutants.ts';
import { inductionScenarioNamed } from './scenarios.ts';
import { type InductionOutcome, simulateInductionWhile } from './simulate.ts';

/** Lets a mutant loose in the scenario that provokes it best, until what it breaks is seen broken, or for `ms` at most. */
export function huntInduction({ scenario, departure, shows }: InductionMutant, seed: number, ms: number): InductionOutcome {
  return simulateInductionWhile(inductionScenarioNamed(scenario), seed, ms, departure, {
    goesOn: ({ broken }) => (broken[shows] ?? 0) === 0,
    everyMs: huntEveryMs,
  });
}
