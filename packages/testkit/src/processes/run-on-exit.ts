// Cleans up after tests that are killed.
import { spawn } from 'node:child_process';

/**
 * Starts a shell that runs a command, with `subject` as its `$0`, if this process ends before the
 * result is disposed of, even by SIGKILL: for what must not outlive a test, such as a server, a
 * stopped member, or a temporary directory. The shell has its own session, so that Control-C on the
 * terminal does not end it.
 */
export function runOnExit(command: string, subject: string): Disposable {
  const shell = spawn('/bin/sh', ['-c', `read -r _ || { ${command}; }`, subject], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // If the shell cannot be started, the tests can continue without the cleanup. If it was killed,
  // writing to it fails.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  return { [Symbol.dispose]: () => shell.stdin.end('\n') };
}
