// Splits a long run into consecutive worlds and cycles through all scenarios. Every other world
// uses the default faults. The seed of each world derives from the seed of the run.

import type { Outcome } from '../kernel/outcome.ts';
import { isSound } from '../kernel/outcome.ts';
import { randomFrom } from '../kernel/random.ts';
import type { Size } from '../kernel/size.ts';
import { mutantsOf } from './mutants.ts';
import type { Scenario } from './scenario.ts';
import { scenarioNamed, scenarios } from './scenarios.ts';
import { simulateWhile, stretchMsOf } from './simulate.ts';
import { sized } from './sized.ts';

/** The options of a run. */
interface Journey {
  readonly seed: number;
  /** Simulated milliseconds, over all worlds. */
  readonly ms: number;
  readonly size: Size;
  readonly mutant: string | undefined;
  /** Runs a single world of this scenario, with exactly this seed. */
  readonly scenario?: string;
}

/** Yields the outcome of one world after the other. Stops after the first violation. */
export function* tour(
  clocks: Scenario['clocks'],
  journey: Journey,
): Generator<Outcome, void, undefined> {
  const { seed, ms, size, mutant: name, scenario: alone } = journey;
  const mutant = mutantsOf(clocks).find((one) => one.name === name);
  const departure = mutant?.departure ?? {};
  if (alone !== undefined) {
    const scenario = sized(scenarioNamed(clocks, alone), size);
    yield simulateWhile(
      scenario,
      seed,
      { ms, stretchMs: stretchMsOf(scenario), goesOn: isSound },
      departure,
    );
    return;
  }
  const seeds = randomFrom(seed);
  const legMs = stretchMsOf(sized(scenarioOf(clocks, 0), size));
  const legs = Math.max(1, Math.floor(ms / legMs));
  for (let leg = 0; leg < legs; leg += 1) {
    const scenario = sized(
      mutant ? scenarioNamed(clocks, mutant.scenario) : scenarioOf(clocks, leg),
      size,
    );
    const world = Math.floor(seeds.next() * 2 ** 32);
    const outcome = simulateWhile(
      scenario,
      world,
      { ms: ms / legs, stretchMs: stretchMsOf(scenario), goesOn: isSound },
      departure,
    );
    yield outcome;
    if (!isSound(outcome)) return;
  }
}

function scenarioOf(clocks: Scenario['clocks'], leg: number): Scenario {
  const [usual, ...others] = scenarios[clocks] as readonly [Scenario, ...Scenario[]];
  return leg % 2 === 0 ? usual : (others[((leg - 1) / 2) % others.length] ?? usual);
}
