// The command `leadership env`: prints the environment variables that `leadership` reads and sets.
import process from 'node:process';
import { columns, jsonText } from '../terminal-text.ts';
import { shownValue } from './shown-value.ts';
import { variables } from './variables.ts';

/** The options of `env`. */
export interface EnvOptions {
  readonly json: boolean;
}

/** Prints each variable, what may be printed of its value, and what it is for. */
export function env({ json }: EnvOptions): void {
  const rows = variables.map(({ name, shown, setBy, meaning }) => {
    const value = process.env[name] ?? '';
    // An empty variable counts as one that is not set, in every command.
    return { name, value: value === '' ? null : shownValue(shown, value), setBy, meaning };
  });
  process.stdout.write(`${json ? jsonText(rows) : tableOf(rows)}\n`);
}

function tableOf(
  rows: readonly { name: string; value: string | null; setBy: string; meaning: string }[],
): string {
  const cells = rows.map(({ name, value, setBy, meaning }) => [name, value ?? '-', setBy, meaning]);
  return columns([['VARIABLE', 'VALUE', 'SET BY', 'MEANING'], ...cells]).join('\n');
}
