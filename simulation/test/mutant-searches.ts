// Mutant searches: runs that must expose the defect of a mutant, for all mutants of a protocol. The
// unit tests and the long tests run them.
import type { Outcome } from '../src/kernel/protocol.ts';
import type { Simulation } from '../src/kernel/simulation.ts';

/** The search for the violation of one mutant. */
export interface MutantSearch {
  readonly name: string;
  readonly rule: string;
  readonly shows: string;
  readonly scenario: string;
  /** Seeds whose worlds expose the defect within `searchMsMax`. */
  readonly seeds: readonly number[];
  /** Simulates the mutant from that seed until it is caught, for at most `ms` milliseconds. */
  run(seed: number, ms: number): Promise<Outcome>;
}

/** The seeds of a mutant that names none. */
const usualSeeds = [1, 2, 3];

/** The longest search, in simulated milliseconds. */
export const searchMsMax: number = 20 * 3_600_000;

/** The pattern of the rules that the mutants of a protocol break. */
const rulePatternOf: Readonly<Record<string, RegExp>> = {
  induction: /^[THI]\d$/,
  'nerio-drift': /^[LNRT]\d+$/,
  'nerio-skew': /^[LNRT]\d+$/,
  scuttlebutt: /^[SLTHR]\d$/,
  rows: /^([LMTHR]\d+|evaluation)$/,
  shell: /^([MTH]\d+|health|closes)$/,
};

/** The searches for the mutants of one protocol. */
export interface ProtocolSearches {
  readonly name: string;
  readonly rulePattern: RegExp;
  readonly scenarios: readonly string[];
  readonly searches: readonly MutantSearch[];
}

function searchOf(
  { findViolation }: Simulation,
  mutant: Simulation['mutants'][number],
): MutantSearch {
  const { name, rule, shows, scenario } = mutant;
  const run: MutantSearch['run'] = (seed, ms) => findViolation(name, seed, ms);
  return { name, rule, shows, scenario, seeds: mutant.seeds ?? usualSeeds, run };
}

/** Returns the searches for all mutants of a protocol. */
export function searchesOf(simulation: Simulation): ProtocolSearches {
  const { name, scenarios, mutants } = simulation;
  return {
    name,
    rulePattern: rulePatternOf[name] ?? /^$/,
    scenarios,
    searches: mutants.map((mutant) => searchOf(simulation, mutant)),
  };
}

/** Returns the rows of a table of tests: rule, name, search. */
export function testRowsOf(
  searches: readonly MutantSearch[],
): (readonly [string, string, MutantSearch])[] {
  return searches.map((search) => [search.rule, search.name, search] as const);
}

/** Returns a line: the mutant, and the simulated minutes until it was caught, per seed. */
export function minutesUntilCaught({ name }: MutantSearch, outcomes: readonly Outcome[]): string {
  return `${name} ${outcomes.map(({ simulatedMs }) => Math.round(simulatedMs / 60_000)).join(', ')}`;
}
