import type { Outcome } from '@leadership/testkit/simulation';
import type { Mutant } from './mutants.ts';
import type { Scenario } from './scenario.ts';
import { scenarioNamed } from './scenarios.ts';
import { simulateWhile } from './simulate.ts';

/** Lets a mutant loose in the scenario that provokes it best, until what it breaks is seen broken, or for `ms` at most. */
export function hunt(clocks: Scenario['clocks'], { scenario, departure, shows }: Mutant, seed: number, ms: number): Outcome {
  return simulateWhile(scenarioNamed(clocks, scenario), seed, ms, departure, ({ broken }) => (broken[shows] ?? 0) === 0);
}
