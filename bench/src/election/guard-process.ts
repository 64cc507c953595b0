// Starts `leadership guard` for the benchmark `crash-proved`, as users start it beside several
// applications.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { runOnExit } from '@leadership/testkit/faults';
import { temporaryDirectory } from '@leadership/testkit/internal';

/** A running guard. Disposing ends it. */
export interface Guard extends AsyncDisposable {
  /** Its socket. */
  readonly path: string;
}

const command = fileURLToPath(new URL('../../../packages/cli/lib/main.js', import.meta.url));

/** Starts a guard. Resolves once it listens. */
export async function startGuard(): Promise<Guard> {
  const folder = await temporaryDirectory();
  const child = spawn(process.execPath, [command, 'guard', '--listen', folder.path], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const cleanup = runOnExit('kill -KILL "$0"', String(child.pid ?? 0));
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stderr });
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => line.includes('listens') && resolve());
    child.once('exit', (code) => reject(new Error(`the guard ended with exit code ${code}`)));
  });
  return {
    path: join(folder.path, 'guard.sock'),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
      cleanup[Symbol.dispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
