import { huntEveryMs, type Outcome } from '../kernel/outcome.ts';
import type { Mutant } from './mutants.ts';
import { scenarioNamed } from './scenarios.ts';
import { simulateWhile } from './simulate.ts';

/**
 * Runs the scenario of a mutant until the mutant is caught, for at most `ms` simulated
 * milliseconds.
 */
export function hunt(mutant: Mutant, seed: number, ms: number): Outcome {
  return simulateWhile(scenarioNamed(mutant.scenario), seed, ms, mutant.departure, {
    goesOn: (soFar) => !isCaught(mutant, soFar),
    everyMs: huntEveryMs,
  });
}

/** Returns whether the outcome contains the violation that the mutant causes. */
function isCaught({ shows }: Mutant, { broken }: Outcome): boolean {
  return (broken[shows] ?? 0) > 0;
}
