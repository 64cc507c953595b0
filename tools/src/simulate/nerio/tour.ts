// A long run is many worlds, one after the other: every scenario gets its turn, and the one with the default faults every other turn.
// Each has a seed of its own that follows from the run's.
import { isSound, type Outcome, type Size } from '@leadership/testkit/simulation';
import { randomFrom } from '@leadership/testkit/world';
import { mutantsOf } from './mutants.ts';
import type { Scenario } from './scenario.ts';
import { scenarioNamed, scenarios } from './scenarios.ts';
import { simulateWhile, stretchMsOf } from './simulate.ts';
import { sized } from './sized.ts';

/** What a run is to be like. */
interface Journey {
  readonly seed: number;
  /** Simulated milliseconds, over all worlds. */
  readonly ms: number;
  readonly size: Size;
  readonly mutant: string | undefined;
  /** Runs one world of this scenario alone, from the very seed. */
  readonly scenario?: string;
}

/** The outcomes of one world after the other. What follows a violation is not lived any more. */
export function* tour(clocks: Scenario['clocks'], journey: Journey): Generator<Outcome, void, undefined> {
  const { seed, ms, size, mutant: name, scenario: alone } = journey;
  const mutant = mutantsOf(clocks).find((one) => one.name === name);
  const departure = mutant?.departure ?? {};
  if (alone !== undefined) {
    const scenario = sized(scenarioNamed(clocks, alone), size);
    yield simulateWhile(scenario, seed, { ms, stretchMs: stretchMsOf(scenario), goesOn: isSound }, departure);
    return;
  }
  const seeds = randomFrom(seed);
  const legMs = stretchMsOf(sized(scenarioOf(clocks, 0), size));
  const legs = Math.max(1, Math.floor(ms / legMs));
  for (let leg = 0; leg < legs; leg += 1) {
    const scenario = sized(mutant ? scenarioNamed(clocks, mutant.scenario) : scenarioOf(clocks, leg), size);
    const world = Math.floor(seeds.next() * 2 ** 32);
    const outcome = simulateWhile(scenario, world, { ms: ms / legs, stretchMs: stretchMsOf(scenario), goesOn: isSound }, departure);
    yield outcome;
    if (!isSound(outcome)) return;
  }
}

function scenarioOf(clocks: Scenario['clocks'], leg: number): Scenario {
  const [usual, ...others] = scenarios[clocks] as readonly [Scenario, ...Scenario[]];
  return leg % 2 === 0 ? usual : (others[((leg - 1) / 2) % others.length] ?? usual);
}
