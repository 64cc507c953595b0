// The command `leadership completion`: prints a script that completes this command in a shell.
import process from 'node:process';
import type { Command } from 'commander';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { completionTable } from './table.ts';
import { zshScript } from './zsh.ts';

/** The shells that have a script. */
export const shells = ['bash', 'zsh', 'fish'] as const;

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** Prints the script for a shell, made from the table of the parser. */
export function completion(program: Command, shell: (typeof shells)[number]): void {
  process.stdout.write(scripts[shell](completionTable(program)));
}
