// Keeps a server of a test from outliving the test.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A program and its arguments, as for `spawn`. */
export type CommandLine = readonly [program: string, args: readonly string[]];

/** Makes the kernel kill the program when its parent process ends. */
const wrapper: CommandLine = ['setpriv', ['--pdeathsig', 'KILL', '--']];

let isOffered: Promise<boolean> | undefined;

/**
 * Wraps a command so that the kernel kills it when the process that starts it ends. This needs
 * Linux and `setpriv`; elsewhere, the command is returned unchanged. The process id is that of the
 * program itself.
 */
export async function killOnExit([program, args]: CommandLine): Promise<CommandLine> {
  const [setpriv, flags] = wrapper;
  isOffered ??= promisify(execFile)(setpriv, [...flags, process.execPath, '--version']).then(
    () => true,
    () => false,
  );
  return (await isOffered) ? [setpriv, [...flags, program, ...args]] : [program, args];
}
