// A long run is many worlds, one after the other: every scenario gets its turn, and the one with the default faults every
// other turn. Each has a seed of its own that follows from the run's.
import type { Mutant } from './mutants.ts';
import { randomFrom } from './random.ts';
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
}

/** The outcomes of one world after the other. What follows a violation is not lived any more. */
export function* tour({ seed, ms, size, mutant }: Journey): Generator<Outcome, void, undefined> {
  const seeds = randomFrom(seed);
  const legs = Math.max(1, Math.floor(ms / legMs));
  for (let leg = 0; leg < legs; leg += 1) {
    const scenario = sized(mutant ? scenarioNamed(mutant.scenario) : scenarioOf(leg), size);
    const outcome = simulateWhile(scenario, Math.floor(seeds.next() * 2 ** 32), ms / legs, mutant?.departure ?? {}, isSound);
    yield outcome;
    if (!isSound(outcome)) return;
  }
}

/** Whether nothing was seen broken. */
export function isSound({ broken }: Outcome): boolean {
  return Object.keys(broken).length === 0;
}

/** Long enough for members to come and go many times. Milliseconds. */
const legMs = 1_800_000;

function scenarioOf(leg: number): Scenario {
  const [usual, ...others] = scenarios as readonly [Scenario, ...Scenario[]];
  return leg % 2 === 0 ? usual : (others[((leg - 1) / 2) % others.length] ?? usual);
}
