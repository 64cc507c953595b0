// Runs many worlds of a protocol: all scenarios in turn, or the worlds of one mutant.
import type { Mutant } from './mutant.ts';
import {
  isCaught,
  isSound,
  type Judged,
  named,
  type Outcome,
  type Protocol,
  simulateInTurns,
} from './protocol.ts';
import { defined, type Random, randomFrom } from './random.ts';
import type { CommonScenario, Size } from './scenario.ts';

/** The simulation of any protocol, whatever its scenarios and worlds consist of. */
export interface Simulation {
  readonly name: string;
  readonly usualSize: Size;
  /** The greatest number of nodes that the command accepts. */
  readonly nodesMax: number;
  /** The names of the scenarios. */
  readonly scenarios: readonly string[];
  readonly mutants: readonly Mutant<unknown>[];
  /** Yields the outcome of one world after the other. Stops after the first violation. */
  runAll(options: RunOptions): AsyncIterable<Outcome>;
  /**
   * Simulates a mutant in its own scenario until it is caught, for at most `ms` simulated
   * milliseconds. The first world uses `seed`; if the mutant requires several short worlds, the
   * seeds of the others derive from it. Returns the outcome of the last world, with the total
   * simulated time.
   */
  findViolation(mutant: string, seed: number, ms: number): Promise<Outcome>;
}

/** The options of a run. */
interface RunOptions {
  readonly seed: number;
  /** Simulated milliseconds, over all worlds. */
  readonly ms: number;
  readonly size: Size;
  /** The name of the mutant to run, in its own scenario, if any. */
  readonly mutant?: string | undefined;
  /**
   * Runs a single world of this scenario, with exactly this seed. Default: worlds of all scenarios,
   * with seeds derived from it.
   */
  readonly scenario?: string | undefined;
}

/** Returns the simulation of a protocol. */
export function simulationOf<Scenario extends CommonScenario, World extends Judged, Overrides>(
  protocol: Protocol<Scenario, World, Overrides>,
): Simulation {
  const { name, usualSize, nodesMax, scenarios, mutants } = protocol;
  return {
    name,
    usualSize,
    nodesMax,
    scenarios: scenarios.map((scenario) => scenario.name),
    mutants,
    runAll: (options) => runAll(protocol, options),
    findViolation: (mutant, seed, ms) => findViolation(protocol, named(mutants, mutant), seed, ms),
  };
}

async function* runAll<Scenario extends CommonScenario, World extends Judged, Overrides>(
  protocol: Protocol<Scenario, World, Overrides>,
  { seed, ms, size, mutant: name, scenario: only }: RunOptions,
): AsyncGenerator<Outcome, void, undefined> {
  const mutant = name === undefined ? undefined : named(protocol.mutants, name);
  const always = only ?? mutant?.scenario;
  const seeds = randomFrom(seed);
  const worldMs = leasesPerWorld * size.thresholdMs;
  const count = only === undefined ? Math.max(1, Math.floor(ms / worldMs)) : 1;
  for (let index = 0; index < count; index += 1) {
    const inTurn = scenarioInTurn(protocol, index);
    const scenario = always === undefined ? inTurn : named(protocol.scenarios, always);
    const worldSeed = only === undefined ? nextSeed(seeds) : seed;
    const course = { ms: ms / count, goesOn: isSound };
    const sized = protocol.sized(scenario, size);
    const outcome = await simulateInTurns(protocol, sized, worldSeed, course, mutant?.overrides);
    yield outcome;
    if (!isSound(outcome)) return;
  }
}

/** Length of a world in leases: enough for members to join and leave many times. */
const leasesPerWorld = 1800;

function nextSeed(seeds: Random): number {
  return Math.floor(seeds.next() * 2 ** 32);
}

function scenarioInTurn<Scenario>(
  protocol: { readonly scenarios: readonly Scenario[]; readonly alternates: boolean },
  index: number,
): Scenario {
  const { scenarios, alternates } = protocol;
  if (!alternates) return defined(scenarios[index % scenarios.length]);
  const others = scenarios.length - 1;
  return defined(scenarios[index % 2 === 0 ? 0 : 1 + (((index - 1) / 2) % others)]);
}

/** Interval at which a search checks whether its mutant was caught, in simulated milliseconds. */
const everyMs = 10_000;

async function findViolation<Scenario extends CommonScenario, World extends Judged, Overrides>(
  protocol: Protocol<Scenario, World, Overrides>,
  mutant: Mutant<Overrides>,
  seed: number,
  ms: number,
): Promise<Outcome> {
  const scenario = named(protocol.scenarios, mutant.scenario);
  const goesOn = (soFar: Outcome): boolean => !isCaught(mutant, soFar);
  const course = { ms: mutant.worldMs ?? ms, everyMs, goesOn };
  const seeds = randomFrom(seed);
  let simulatedMs = 0;
  for (let next = seed; ; next = nextSeed(seeds)) {
    const outcome = await simulateInTurns(protocol, scenario, next, course, mutant.overrides);
    simulatedMs += outcome.simulatedMs;
    if (isCaught(mutant, outcome) || simulatedMs >= ms) return { ...outcome, simulatedMs };
  }
}
