import { spawn } from 'node:child_process';

/**
 * Has a shell run a command, with `subject` as its `$0`, should this process die first, were it of SIGKILL. Disposing calls it off. The
 * shell has a session of its own, as a Control-C that reaches everyone else must not end it.
 */
export function lastWill(command: string, subject: string): Disposable {
  const shell = spawn('/bin/sh', ['-c', `read -r _ || { ${command}; }`, subject], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  // Without a shell nobody clears up, and the test goes on; killed by hand, it takes no more words.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  return { [Symbol.dispose]: () => shell.stdin.end('\n') };
}
