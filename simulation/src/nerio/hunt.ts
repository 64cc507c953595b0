import { huntEveryMs, type Outcome } from '../kernel/outcome.ts';
import { randomFrom } from '../kernel/random.ts';
import type { Mutant } from './mutants.ts';
import type { Scenario } from './scenario.ts';
import { scenarioNamed } from './scenarios.ts';
import { simulateWhile } from './simulate.ts';

/**
 * Simulates a mutant in its own scenario until it is caught, for at most `ms` simulated
 * milliseconds. The first world uses `seed`. If the mutant requires several short worlds, the seeds
 * of the others derive from it. Returns the outcome of the last world, with the total simulated
 * time.
 */
export function hunt(
  clocks: Scenario['clocks'],
  mutant: Mutant,
  seed: number,
  ms: number,
): Outcome {
  const { scenario, departure, shows, worldMs = ms } = mutant;
  const isWhole = ({ broken }: Pick<Outcome, 'broken'>): boolean => (broken[shows] ?? 0) === 0;
  const seeds = randomFrom(seed);
  const course = { ms: worldMs, stretchMs: huntEveryMs, goesOn: isWhole };
  let outcome = simulateWhile(scenarioNamed(clocks, scenario), seed, course, departure);
  let lived = outcome.simulatedMs;
  while (isWhole(outcome) && lived < ms) {
    outcome = simulateWhile(
      scenarioNamed(clocks, scenario),
      Math.floor(seeds.next() * 2 ** 32),
      course,
      departure,
    );
    lived += outcome.simulatedMs;
  }
  return { ...outcome, simulatedMs: lived };
}
