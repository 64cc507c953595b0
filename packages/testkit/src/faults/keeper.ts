import { spawn } from 'node:child_process';

/**
 * Kills process `pid` should this process die first: one that is stopped cannot see to that itself. Disposing calls it off. In a session
 * of its own, as a Control-C that reaches everyone else must not end it.
 */
export function keeper(pid: number): Disposable {
  const wait = 'read -r _ || kill -KILL "$0"';
  const shell = spawn('/bin/sh', ['-c', wait, String(pid)], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  // Without a shell there is no keeper, and the test goes on; killed by hand, it takes no more words.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  return { [Symbol.dispose]: () => shell.stdin.end('\n') };
}
