// The searches for the violations of all mutants of all protocols, as the unit tests and the
// long tests run them.
import { simulations } from '../src/cli/simulations.ts';
import type { Outcome } from '../src/kernel/protocol.ts';
import type { Simulation } from '../src/kernel/simulation.ts';

/** The search for the violation of one mutant. */
export interface Hunt {
  readonly name: string;
  readonly rule: string;
  readonly shows: string;
  readonly scenario: string;
  /** Seeds whose worlds expose the defect within `huntMs`. */
  readonly seeds: readonly number[];
  /** Simulates the mutant from that seed until it is caught, for at most `ms` milliseconds. */
  run(seed: number, ms: number): Outcome;
}

const seeds = [1, 2, 3];

/** The longest hunt, in simulated milliseconds. */
export const huntMs: number = 20 * 3_600_000;

/** The form of the rules that the mutants of a protocol break. */
const ruleOf: Readonly<Record<string, RegExp>> = {
  ledger: /^[RTLH]\d+$/,
  induction: /^[TI]\d$/,
  'nerio-drift': /^[LNRT]\d+$/,
  'nerio-skew': /^[LNRT]\d+$/,
  scuttlebutt: /^[STH]\d$/,
};

/** The mutants of one protocol. */
export interface Hunts {
  readonly name: string;
  readonly rules: RegExp;
  readonly scenarios: readonly string[];
  readonly hunts: readonly Hunt[];
}

/** The mutants of every protocol. */
export const everyHunt: readonly Hunts[] = simulations.map((simulation) => ({
  name: simulation.name,
  rules: ruleOf[simulation.name] ?? /^$/,
  scenarios: simulation.scenarios,
  hunts: simulation.mutants.map((mutant) => huntOf(simulation, mutant)),
}));

function huntOf({ findViolation }: Simulation, mutant: Simulation['mutants'][number]): Hunt {
  const { name, rule, shows, scenario } = mutant;
  const run: Hunt['run'] = (seed, ms) => findViolation(name, seed, ms);
  return { name, rule, shows, scenario, seeds: mutant.seeds ?? seeds, run };
}

/** Returns the mutants of the protocol with that name. */
export function huntsOf(protocol: string): Hunts {
  const hunts = everyHunt.find(({ name }) => name === protocol);
  if (hunts === undefined) throw new Error(`unknown protocol: ${protocol}`);
  return hunts;
}

/** Returns the rows of a table of tests: rule, name, hunt. */
export function rowsOf({ hunts }: Hunts): (readonly [string, string, Hunt])[] {
  return hunts.map((hunt) => [hunt.rule, hunt.name, hunt] as const);
}

/** Returns the simulated minutes until a mutant was caught, per seed. */
export function killTimes({ name }: Hunt, outcomes: readonly Outcome[]): string {
  return `${name} ${outcomes.map(({ simulatedMs }) => Math.round(simulatedMs / 60_000)).join(', ')}`;
}
