// Cycles through all scenarios. Every other world uses the scenario with the default faults.
import { legsOf, oneLeg } from '../kernel/legs.ts';
import { isSound, type Outcome } from '../kernel/outcome.ts';
import type { Size } from '../kernel/size.ts';
import type { Mutant } from './mutants.ts';
import type { Scenario } from './scenario.ts';
import { scenarioNamed, scenarios } from './scenarios.ts';
import { simulateWhile } from './simulate.ts';
import { sized } from './sized.ts';

/** The options of a run. */
export interface Journey {
  readonly seed: number;
  /** Simulated milliseconds, over all worlds. */
  readonly ms: number;
  readonly size: Size;
  /** Replaces rules of the protocol in the mutant's own scenario. */
  readonly mutant?: Mutant;
  /** Runs a single world of this scenario, with exactly this seed. */
  readonly scenario?: Scenario;
}

/** Yields the outcome of one world after the other. Stops after the first violation. */
export function* tour({
  seed,
  ms,
  size,
  mutant,
  scenario: alone,
}: Journey): Generator<Outcome, void, undefined> {
  for (const leg of alone ? oneLeg(seed, ms) : legsOf(seed, ms)) {
    const scenario = sized(
      alone ?? (mutant ? scenarioNamed(mutant.scenario) : scenarioOf(leg.index)),
      size,
    );
    const outcome = simulateWhile(scenario, leg.seed, leg.ms, mutant?.departure ?? {}, {
      goesOn: isSound,
    });
    yield outcome;
    if (!isSound(outcome)) return;
  }
}

function scenarioOf(leg: number): Scenario {
  const [usual, ...others] = scenarios as readonly [Scenario, ...Scenario[]];
  return leg % 2 === 0 ? usual : (others[((leg - 1) / 2) % others.length] ?? usual);
}
