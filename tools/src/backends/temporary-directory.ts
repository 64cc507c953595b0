// The directory of a server's data, which does not outlive its test.
import { rmSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runOnExit } from '@leadership/testkit/faults';

/**
 * A temporary directory, and the processes that use it. Disposing removes it; end the processes
 * first.
 */
export interface TemporaryDirectory extends AsyncDisposable {
  readonly path: string;
  /**
   * Registers a process that uses the directory. Dispose of the result once the process has ended.
   */
  occupy(pid: number): Disposable;
}

/**
 * Kills all registered processes, including stopped ones, and removes the directory. The names of
 * the files in `pids` are process ids. A dying process may still write files during the removal, so
 * the command retries it.
 */
const clear =
  '(cd "$0/pids" && kill -KILL *); for _ in 1 2 3 4 5; do rm -rf "$0" && exit; sleep 1; done';

/**
 * Creates a temporary directory. If this process ends before it is disposed of, the processes in it
 * are killed and it is removed.
 */
export async function temporaryDirectory(name: string): Promise<TemporaryDirectory> {
  const path = await mkdtemp(join(tmpdir(), `${name}-`));
  const pids = join(path, 'pids');
  await mkdir(pids);
  const cleanup = runOnExit(clear, path);
  return {
    path,
    occupy(pid) {
      const note = join(pids, String(pid));
      // Synchronous, so that this process cannot end between starting the other process and
      // registering it.
      writeFileSync(note, '');
      return { [Symbol.dispose]: () => rmSync(note, { force: true }) };
    },
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
      cleanup[Symbol.dispose]();
    },
  };
}

/**
 * Creates a temporary directory and calls `use` with it. If `use` rejects, removes the directory;
 * otherwise, the result of `use` must dispose of it.
 */
export async function inTemporaryDirectory<T>(
  name: string,
  use: (directory: TemporaryDirectory) => Promise<T>,
): Promise<T> {
  const directory = await temporaryDirectory(name);
  try {
    return await use(directory);
  } catch (error) {
    await directory[Symbol.asyncDispose]();
    throw error;
  }
}
