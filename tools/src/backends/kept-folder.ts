import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
const clear = 'read -r _ || { (cd "$0/pids" && kill -KILL *); for _ in 1 2 3 4 5; do rm -rf "$0" && exit; sleep 1; done; }';

/** A new folder. Should this process die before it is disposed of, were it of SIGKILL, a shell that listens to it clears up. */
export async function keptFolder(name: string): Promise<KeptFolder> {
  const path = await mkdtemp(join(tmpdir(), `${name}-`));
  const pids = join(path, 'pids');
  await mkdir(pids);
  // In a session of its own, as a Control-C that reaches everyone else must not end it.
  const shell = spawn('/bin/sh', ['-c', clear, path], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  // Without a shell nobody clears up, and the test goes on; killed by hand, it takes no more words.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
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
      shell.stdin.end('\n');
    },
  };
}
