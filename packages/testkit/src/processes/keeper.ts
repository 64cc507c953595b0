import { spawn } from 'node:child_process';

/**
 * Kills process `pid` if this process dies first, because a stopped process cannot exit by itself.
 * Disposal ends the watch. The watching shell runs in its own session, so that Control-C does not
 * end it.
 */
export function keeper(pid: number): Disposable {
  const wait = 'read -r _ || kill -KILL "$0"';
  const shell = spawn('/bin/sh', ['-c', wait, String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Ignore a missing shell, and a write to a shell that was killed: the test continues without the
  // watch.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  return { [Symbol.dispose]: () => shell.stdin.end('\n') };
}
