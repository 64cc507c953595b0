import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A program and its arguments, as `spawn` takes them. */
export type CommandLine = readonly [program: string, args: readonly string[]];

/** Has the kernel kill a process when the one that started it ends. */
const wrapper: CommandLine = ['setpriv', ['--pdeathsig', 'KILL', '--']];

let isOffered: Promise<boolean> | undefined;

/**
 * The command as one that ends with the process that starts it, whatever becomes of files, pipes and shells meanwhile: under Linux,
 * where `setpriv` is; elsewhere as it is. The process id is that of the program itself.
 */
export async function dyingWithUs([program, args]: CommandLine): Promise<CommandLine> {
  const [kernel, told] = wrapper;
  isOffered ??= promisify(execFile)(kernel, [...told, process.execPath, '--version']).then(
    () => true,
    () => false,
  );
  return (await isOffered) ? [kernel, [...told, program, ...args]] : [program, args];
}
