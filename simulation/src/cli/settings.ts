// Parses the command line of `npm run simulate`.
import { parseArgs } from 'node:util';
import type { Mutant } from '../kernel/mutant.ts';
import type { Size } from '../kernel/scenario.ts';
import type { Simulation } from '../kernel/simulation.ts';
import { simulations } from './simulations.ts';

/** The settings of a run, from the command line. */
export interface Settings {
  readonly protocol: Simulation;
  readonly seed: number;
  readonly hours: number;
  readonly mutant: Mutant<unknown> | undefined;
  /** Runs a single world of this scenario, with exactly this seed. */
  readonly scenario?: string;
  readonly size: Size;
  readonly json: boolean;
}

/** A request on the command line: a run, the list of mutants, or the usage. */
export type Request =
  | { readonly kind: 'run'; readonly settings: Settings }
  | { readonly kind: 'list-mutants'; readonly protocol: Simulation }
  | { readonly kind: 'help' };

/** The usage text. */
export const usage: string = `usage: npm run simulate -- --protocol ${simulations.map(({ name }) => name).join('|')} [--hours H] [--seed S] [--mutant NAME] [--json]
       [--scenario NAME] [--nodes N] [--partitions N] [--threshold MS]
       npm run simulate -- [--protocol NAME] --list-mutants
${simulations.map(({ name, usualSize: { nodes, partitions, thresholdMs } }) => `${name}: ${nodes} nodes, ${partitions} partitions, T = ${thresholdMs} ms by default`).join('\n')}`;

/** Parses the request in `args`. Returns an error message if they are invalid. */
export function requestFrom(args: readonly string[]): Request | string {
  try {
    const { values } = parseArgs({ args: [...args], options });
    if (values.help) return { kind: 'help' };
    return request(values);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const options = {
  protocol: { type: 'string', default: simulations[0].name },
  hours: { type: 'string' },
  seed: { type: 'string' },
  mutant: { type: 'string' },
  scenario: { type: 'string' },
  nodes: { type: 'string' },
  partitions: { type: 'string' },
  threshold: { type: 'string' },
  json: { type: 'boolean', default: false },
  'list-mutants': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

interface Values extends Readonly<Partial<Record<Numeric, string>>> {
  readonly protocol: string;
  readonly mutant?: string;
  readonly scenario?: string;
  readonly json: boolean;
  readonly 'list-mutants': boolean;
}

type Numeric = keyof typeof ranges;

/** Minimum, maximum, and whether the value must be a whole number. Protocols limit their nodes. */
const ranges = {
  hours: [0.001, 100_000, 'any'],
  seed: [0, 2 ** 32 - 1, 'whole'],
  nodes: [1, Number.POSITIVE_INFINITY, 'whole'],
  partitions: [1, 64, 'whole'],
  threshold: [50, 60_000, 'whole'],
} as const;

function request(values: Values): Request | string {
  const protocol = simulations.find(({ name }) => name === values.protocol);
  const names = simulations.map(({ name }) => name).join(', ');
  if (protocol === undefined) return `unknown protocol "${values.protocol}"; use one of ${names}`;
  return values['list-mutants'] ? { kind: 'list-mutants', protocol } : run(values, protocol);
}

function run(values: Values, protocol: Simulation): Request | string {
  const mutant = protocol.mutants.find(({ name }) => name === values.mutant);
  const { nodes, partitions, thresholdMs } = protocol.usualSize;
  const given = {
    hours: '10',
    seed: '1',
    nodes: `${nodes}`,
    partitions: `${partitions}`,
    threshold: `${thresholdMs}`,
    ...values,
  };
  const wrong = wrongScenario(values, protocol) ?? wrongWith(given, mutant, protocol);
  if (wrong !== undefined) return wrong;
  const scenario = values.scenario !== undefined && { scenario: values.scenario };
  const number = (name: Numeric): number => Number(given[name]);
  const size = {
    nodes: number('nodes'),
    partitions: number('partitions'),
    thresholdMs: number('threshold'),
  };
  return {
    kind: 'run',
    settings: {
      protocol,
      seed: number('seed'),
      hours: number('hours'),
      mutant,
      ...scenario,
      size,
      json: values.json,
    },
  };
}

function wrongScenario({ scenario }: Values, { name, scenarios }: Simulation): string | undefined {
  if (scenario === undefined || scenarios.includes(scenario)) return undefined;
  return `unknown scenario "${scenario}" of ${name}; use one of ${scenarios.join(', ')}`;
}

type Given = Values & Readonly<Record<Numeric, string>>;

function wrongWith(
  values: Given,
  mutant: Mutant<unknown> | undefined,
  { nodesMax }: Simulation,
): string | undefined {
  if (values.mutant !== undefined && mutant === undefined)
    return `unknown mutant "${values.mutant}"; list all mutants with --list-mutants`;
  const names = Object.keys(ranges) as Numeric[];
  return names
    .map((name) => outOfRange(name, values[name], name === 'nodes' ? nodesMax : ranges[name][1]))
    .find((wrong) => wrong !== undefined);
}

function outOfRange(name: Numeric, text: string, most: number): string | undefined {
  const [least, , kind] = ranges[name];
  const isNumber = kind === 'whole' ? /^\d+$/.test(text) : /^\d*\.?\d+$/.test(text);
  if (isNumber && Number(text) >= least && Number(text) <= most) return undefined;
  return `--${name} ${text} must be a ${kind === 'whole' ? 'whole ' : ''}number from ${least} to ${most}`;
}
