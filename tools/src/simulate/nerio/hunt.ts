import type { Outcome } from '@leadership/testkit/simulation';
import { randomFrom } from '@leadership/testkit/world';
import type { Mutant } from './mutants.ts';
import type { Scenario } from './scenario.ts';
import { scenarioNamed } from './scenarios.ts';
import { simulateWhile } from './simulate.ts';

/** How often a hunt looks whether its mutant was caught. Simulated milliseconds. */
const lookMs = 60_000;

/**
 * Simulates a mutant in the scenario that provokes it best, until what it breaks is seen broken, or for `ms` at most. The first world
 * is that of seed `seed`; where the mutant asks for several short ones, each of the others has a seed of its own that follows from it.
 * Returns the outcome of the last world, and how long the mutant lived in all of them.
 */
export function hunt(clocks: Scenario['clocks'], mutant: Mutant, seed: number, ms: number): Outcome {
  const { scenario, departure, shows, worldMs = ms } = mutant;
  const isWhole = ({ broken }: Pick<Outcome, 'broken'>): boolean => (broken[shows] ?? 0) === 0;
  const seeds = randomFrom(seed);
  const course = { ms: worldMs, stretchMs: lookMs, goesOn: isWhole };
  let outcome = simulateWhile(scenarioNamed(clocks, scenario), seed, course, departure);
  let lived = outcome.simulatedMs;
  while (isWhole(outcome) && lived < ms) {
    outcome = simulateWhile(scenarioNamed(clocks, scenario), Math.floor(seeds.next() * 2 ** 32), course, departure);
    lived += outcome.simulatedMs;
  }
  return { ...outcome, simulatedMs: lived };
}
