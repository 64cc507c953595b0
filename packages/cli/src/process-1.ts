// Lets the wrappers `run` and `guard` be the first process of a container.
import { accessSync, constants } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { say } from './say.ts';

const shell = '/bin/sh';
const init = fileURLToPath(new URL('../init.sh', import.meta.url));

/** Since Node 22.15. Replaces the program of this process. */
type Execve = (file: string, args: readonly string[], env: NodeJS.ProcessEnv) => never;

/**
 * If this is process 1 of a container, replaces it by a shell that starts the same command as its
 * child. Processes whose parent has ended become children of process 1, and Node cannot reap them.
 * Where it cannot be replaced, this prints one line and returns.
 */
export function moveBelowInit(): void {
  if (process.pid !== 1) return;
  const { execve } = process as { readonly execve?: Execve };
  if (execve === undefined) return warn('it needs Node 22.15 or newer');
  try {
    // Node ends the process if this file cannot be executed.
    accessSync(shell, constants.X_OK);
  } catch {
    return warn(`there is no ${shell}`);
  }
  const self = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  execve(shell, ['sh', init, ...self], process.env);
}

function warn(reason: string): void {
  say(
    `as process 1 it cannot reap ended processes, because ${reason}; ` +
      'start it below an init, as in docker run --init',
  );
}
