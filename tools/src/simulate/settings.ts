import { parseArgs } from 'node:util';
import { type Mutant, mutants, type Size, usualSize } from '@leadership/testkit/simulation';

/** What the command line asks for. */
export interface Settings {
  readonly seed: number;
  readonly hours: number;
  readonly mutant: Mutant | undefined;
  readonly size: Size;
  readonly json: boolean;
}

/** A run as asked for, only the names of the mutants, or only the usage. */
export type Request = { readonly kind: 'run'; readonly settings: Settings } | { readonly kind: 'list-mutants' | 'help' };

/** What the command understands. */
export const usage: string = `usage: npm run simulate -- --protocol ledger [--hours H] [--seed S] [--mutant NAME] [--json]
       [--nodes ${usualSize.nodes}] [--partitions ${usualSize.partitions}] [--threshold ${usualSize.thresholdMs}]
       npm run simulate -- --list-mutants`;

/** The request in `args`, or a sentence that says what is wrong with them. */
export function requestFrom(args: readonly string[]): Request | string {
  try {
    const { values } = parseArgs({ args: [...args], options });
    if (values.help) return { kind: 'help' };
    return values['list-mutants'] ? { kind: 'list-mutants' } : run(values);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const options = {
  protocol: { type: 'string', default: 'ledger' },
  hours: { type: 'string', default: '10' },
  seed: { type: 'string', default: '1' },
  mutant: { type: 'string' },
  nodes: { type: 'string', default: String(usualSize.nodes) },
  partitions: { type: 'string', default: String(usualSize.partitions) },
  threshold: { type: 'string', default: String(usualSize.thresholdMs) },
  json: { type: 'boolean', default: false },
  'list-mutants': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

interface Values extends Readonly<Record<'protocol' | Numeric, string>> {
  readonly mutant?: string;
  readonly json: boolean;
}

type Numeric = keyof typeof ranges;

/** From, to, and whether anything between whole numbers will do. */
const ranges = {
  hours: [0.001, 100_000, 'any'],
  seed: [0, 2 ** 32 - 1, 'whole'],
  nodes: [1, 9, 'whole'],
  partitions: [1, 64, 'whole'],
  threshold: [50, 60_000, 'whole'],
} as const;

function run(values: Values): Request | string {
  const mutant = mutants.find(({ name }) => name === values.mutant);
  const wrong = wrongWith(values, mutant);
  if (wrong !== undefined) return wrong;
  const number = (name: Numeric): number => Number(values[name]);
  const size = { nodes: number('nodes'), partitions: number('partitions'), thresholdMs: number('threshold') };
  return { kind: 'run', settings: { seed: number('seed'), hours: number('hours'), mutant, size, json: values.json } };
}

function wrongWith(values: Values, mutant: Mutant | undefined): string | undefined {
  if (values.protocol !== 'ledger') return `there is no simulation of the protocol "${values.protocol}": there is one of ledger`;
  if (values.mutant !== undefined && mutant === undefined) return `no mutant is called "${values.mutant}": --list-mutants names them all`;
  const names = Object.keys(ranges) as Numeric[];
  return names.map((name) => outOfRange(name, values[name])).find((wrong) => wrong !== undefined);
}

function outOfRange(name: Numeric, text: string): string | undefined {
  const [least, most, kind] = ranges[name];
  const isNumber = kind === 'whole' ? /^\d+$/.test(text) : /^\d*\.?\d+$/.test(text);
  if (isNumber && Number(text) >= least && Number(text) <= most) return undefined;
  return `--${name} ${text} must be a ${kind === 'whole' ? 'whole ' : ''}number from ${least} to ${most}`;
}
