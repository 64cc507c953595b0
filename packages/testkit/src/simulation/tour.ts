// Every scenario gets its turn, and the one with the default faults every other turn.
import { legsOf, oneLeg } from './legs.ts';
import type { Mutant } from './mutants.ts';
import type { Scenario } from './scenario.ts';
import { scenarioNamed, scenarios } from './scenarios.ts';
import { type Outcome, simulateWhile } from './simulate.ts';
import { type Size, sized } from './sized.ts';

/** What a run is to be like. */
export interface Journey {
  readonly seed: number;
  /** Simulated milliseconds, over all worlds. */
  readonly ms: number;
  readonly size: Size;
  /** Lives by its rules in place of the protocol's, in the scenario that provokes it best. */
  readonly mutant?: Mutant;
  /** Runs one world of this scenario alone, from the very seed. */
  readonly scenario?: Scenario;
}

/** The outcomes of one world after the other. What follows a violation is not lived any more. */
export function* tour({ seed, ms, size, mutant, scenario: alone }: Journey): Generator<Outcome, void, undefined> {
  for (const leg of alone ? oneLeg(seed, ms) : legsOf(seed, ms)) {
    const scenario = sized(alone ?? (mutant ? scenarioNamed(mutant.scenario) : scenarioOf(leg.index)), size);
    const outcome = simulateWhile(scenario, leg.seed, leg.ms, mutant?.departure ?? {}, { goesOn: isSound });
    yield outcome;
    if (!isSound(outcome)) return;
  }
}

/** Whether nothing was seen broken. */
export function isSound({ broken }: Outcome): boolean {
  return Object.keys(broken).length === 0;
}

function scenarioOf(leg: number): Scenario {
  const [usual, ...others] = scenarios as readonly [Scenario, ...Scenario[]];
  return leg % 2 === 0 ? usual : (others[((leg - 1) / 2) % others.length] ?? usual);
}
