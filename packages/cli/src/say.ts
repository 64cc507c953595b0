import process from 'node:process';
import type { Logger } from '@leadership/core';
import { printableLines } from './terminal-text.ts';

/** Prints a line for the user of a wrapper. The standard output belongs to its command. */
export function say(text: string): void {
  process.stderr.write(`leadership: ${printableLines(text)}\n`);
}

/** Where the troubles of the source of a wrapper are reported. */
export const stderrLog: Logger = { error: say, warn: say, info: say };
