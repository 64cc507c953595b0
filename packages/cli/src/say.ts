// Prints the messages of the wrappers `run` and `guard`.
import process from 'node:process';
import type { Logger } from '@leadership/core';
import { debugVariable } from './environment/variables.ts';
import { printableLines } from './terminal-text.ts';

/** Whether the user asks for stacks and causes: they help only the authors of a program. */
export const isDebug: boolean = (process.env[debugVariable] ?? '') !== '';

/** Prints a line for the user of a wrapper. The standard output belongs to its command. */
export function say(text: string): void {
  process.stderr.write(`leadership: ${printableLines(text)}\n`);
}

/** Prints a trouble of the source of a wrapper. Its cause, with a stack, follows the first line. */
function sayTrouble(text: string): void {
  const [line = ''] = text.split('\n', 1);
  say(isDebug ? text : line);
}

/** Where the troubles of the source of a wrapper are reported. */
export const stderrLog: Logger = { error: sayTrouble, warn: sayTrouble, info: sayTrouble };
