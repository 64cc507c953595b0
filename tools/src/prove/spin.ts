// Calls Spin and the C compiler for `npm run prove`.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readPanOutput, type SearchResult } from './pan-output.ts';
import type { World } from './worlds.ts';

const execute = promisify(execFile);

/** The least priority: the searches run beside other work. */
const nice = ['-n', '19'];

/** Limits of one search. */
export interface Limits {
  readonly memoryMb: number;
  readonly seconds: number;
}

/** The programs that are needed, and that this host lacks. */
export async function missingPrograms(): Promise<string[]> {
  const versions = { spin: '-V', gcc: '--version', nice: '--version' };
  const found = await Promise.all(
    Object.entries(versions).map(([name, option]) =>
      execute(name, [option]).then(
        () => [],
        () => [name],
      ),
    ),
  );
  return found.flat();
}

/**
 * Compiles a world into a program that searches all its states, in `folder`. Breadth first, so that
 * the first violation is a shortest one. The compiler took longer than most searches: with `-Og` it
 * takes half the time, and the program is as fast. `COLLAPSE` halves the memory for more time, which
 * only long worlds need.
 */
export async function compile(
  folder: string,
  model: string,
  { options, isLong = false }: World,
  { memoryMb }: Limits,
  signal: AbortSignal,
): Promise<void> {
  const constants = Object.entries(options).map(([name, value]) => `-D${name}=${value}`);
  await execute('nice', [...nice, 'spin', ...constants, '-a', model], { cwd: folder, signal });
  const settings = [
    ...['SAFETY', 'BFS', 'NOFAIR', 'VECTORSZ=1024', `MEMLIM=${memoryMb}`],
    ...(isLong ? ['COLLAPSE'] : []),
  ];
  await execute(
    'nice',
    [...nice, 'gcc', '-Og', '-w', ...settings.map((name) => `-D${name}`), '-o', 'pan', 'pan.c'],
    { cwd: folder, signal },
  );
}

/** Searches the compiled world, with the mutant of this number; 0 is the model without a mistake. */
export async function search(
  folder: string,
  mutant: number,
  { seconds }: Limits,
  signal: AbortSignal,
): Promise<SearchResult> {
  const program = join(folder, 'pan');
  const options = {
    cwd: folder,
    signal,
    timeout: seconds * 1000,
    maxBuffer: 2 ** 24,
    env: { ...process.env, MUT: String(mutant) },
  };
  const { stdout } = await execute('nice', [...nice, program, '-m200000', '-w22'], options).catch(
    // A search that found something, or that reached a limit, exits with an error.
    (error: Error & { stdout?: string }) => {
      if (signal.aborted || error.stdout === undefined) throw error;
      return { stdout: error.stdout };
    },
  );
  return readPanOutput(stdout);
}
