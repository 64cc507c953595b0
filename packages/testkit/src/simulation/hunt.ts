import type { Mutant } from './mutants.ts';
import { scenarioNamed } from './scenarios.ts';
import { huntEveryMs, type Outcome, simulateWhile } from './simulate.ts';

/** Lets a mutant loose in the scenario that provokes it best, until what it breaks is seen broken, or for `ms` at most. */
export function hunt(mutant: Mutant, seed: number, ms: number): Outcome {
  return simulateWhile(scenarioNamed(mutant.scenario), seed, ms, mutant.departure, {
    goesOn: (soFar) => !isCaught(mutant, soFar),
    everyMs: huntEveryMs,
  });
}

/** Whether the outcome shows what the mutant breaks. */
export function isCaught({ shows }: Mutant, { broken }: Outcome): boolean {
  return (broken[shows] ?? 0) > 0;
}
