// The hunts of all mutants of the four protocols, as the unit tests and the long tests run them.
import { huntInduction } from '../src/induction/hunt.ts';
import { inductionMutants } from '../src/induction/mutants.ts';
import { inductionScenarioNamed } from '../src/induction/scenarios.ts';
import { hunt } from '../src/ledger/hunt.ts';
import { mutants } from '../src/ledger/mutants.ts';
import { scenarioNamed } from '../src/ledger/scenarios.ts';
import { hunt as huntNerio } from '../src/nerio/hunt.ts';
import { mutantsOf } from '../src/nerio/mutants.ts';
import { scenarioNamed as nerioScenarioNamed } from '../src/nerio/scenarios.ts';

/** The part of an outcome that a hunt needs. */
interface Outcome {
  readonly seed: number;
  readonly simulatedMs: number;
  readonly broken: Readonly<Record<string, number>>;
}

/** The hunt of one mutant. */
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

/** The mutants of one protocol. */
export interface Hunts {
  readonly rules: RegExp;
  readonly hunts: readonly Hunt[];
  /** Returns the name of the scenario with that name. Throws if there is none. */
  scenario(name: string): string;
}

const seeds = [1, 2, 3];

/** The longest hunt, in simulated milliseconds. */
export const huntMs: number = 20 * 3_600_000;

const nerio = (clocks: 'drift' | 'skew'): Hunts => ({
  rules: /^[LNRT]\d+$/,
  hunts: mutantsOf(clocks).map((mutant) => ({
    ...mutant,
    seeds,
    run: (seed, ms) => huntNerio(clocks, mutant, seed, ms),
  })),
  scenario: (name) => nerioScenarioNamed(clocks, name).name,
});

/** The mutants of every protocol. */
export const huntsOf: Readonly<
  Record<'ledger' | 'induction' | 'nerio-drift' | 'nerio-skew', Hunts>
> = {
  ledger: {
    rules: /^[RTLH]\d+$/,
    hunts: mutants.map((mutant) => ({
      seeds,
      ...mutant,
      run: (seed, ms) => hunt(mutant, seed, ms),
    })),
    scenario: (name) => scenarioNamed(name).name,
  },
  induction: {
    rules: /^[TI]\d$/,
    hunts: inductionMutants.map((mutant) => ({
      ...mutant,
      seeds,
      run: (seed, ms) => huntInduction(mutant, seed, ms),
    })),
    scenario: (name) => inductionScenarioNamed(name).name,
  },
  'nerio-drift': nerio('drift'),
  'nerio-skew': nerio('skew'),
};

/** Returns whether the outcome contains the violation that the mutant causes. */
export function isCaught({ shows }: Hunt, { broken }: Outcome): boolean {
  return (broken[shows] ?? 0) > 0;
}

/** Returns the rows of a table of tests: rule, name, hunt. */
export function rowsOf({ hunts }: Hunts): (readonly [string, string, Hunt])[] {
  return hunts.map((hunt) => [hunt.rule, hunt.name, hunt] as const);
}

/** Returns the simulated minutes until a mutant was caught, per seed. */
export function killTimes({ name }: Hunt, outcomes: readonly Outcome[]): string {
  return `${name} ${outcomes.map(({ simulatedMs }) => Math.round(simulatedMs / 60_000)).join(', ')}`;
}
