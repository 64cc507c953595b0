import { rmSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastWill } from './last-will.ts';

/** A temporary folder, and the processes that work in it. Disposing removes it: end them before. */
export interface KeptFolder extends AsyncDisposable {
  readonly path: string;
  /** Notes a process that works in here. Disposing says that it is gone. */
  occupy(pid: number): Disposable;
}

/**
 * Kills whoever is noted (the names of files are process ids), stopped or not, and removes the folder. What a dying process still
 * writes may come in between, so it tries again.
 */
const clear = '(cd "$0/pids" && kill -KILL *); for _ in 1 2 3 4 5; do rm -rf "$0" && exit; sleep 1; done';

/** A new folder. Should this process die before it is disposed of, it is cleared all the same. */
export async function keptFolder(name: string): Promise<KeptFolder> {
  const path = await mkdtemp(join(tmpdir(), `${name}-`));
  const pids = join(path, 'pids');
  await mkdir(pids);
  const will = lastWill(clear, path);
  return {
    path,
    occupy(pid) {
      const note = join(pids, String(pid));
      // Before anything else can happen to this process.
      writeFileSync(note, '');
      return { [Symbol.dispose]: () => rmSync(note, { force: true }) };
    },
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
      will[Symbol.dispose]();
    },
  };
}
