import type { Outcome } from '@leadership/testkit/simulation';
import type { Mutant } from './mutants.ts';
import type { Scenario } from './scenario.ts';
import { scenarioNamed } from './scenarios.ts';
import { simulateWhile } from './simulate.ts';

/**
 * Simulates a mutant in the scenario that provokes it best, until what it breaks is seen broken, or for `ms` at most. Returns the
 * outcome of the last world: that of seed `seed`, or of the seeds after it where the mutant asks for several short worlds.
 */
export function hunt(clocks: Scenario['clocks'], mutant: Mutant, seed: number, ms: number): Outcome {
  const { scenario, departure, shows, worldMs = ms } = mutant;
  const worlds = Math.ceil(ms / worldMs);
  const isWhole = ({ broken }: Pick<Outcome, 'broken'>): boolean => (broken[shows] ?? 0) === 0;
  const live = (world: number): Outcome => simulateWhile(scenarioNamed(clocks, scenario), seed + world, worldMs, departure, isWhole);
  let outcome = live(0);
  for (let world = 1; world < worlds && isWhole(outcome); world += 1) outcome = live(world);
  return outcome;
}
