import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { createInterface } from 'node:readline';
import { type Child, childOver, type Message } from './start-child.ts';

/**
 * Starts a program that is not written for Node. It writes one JSON message per line to its
 * standard output, and reads one command per line from its standard input. It must exit when its
 * standard input ends, so that it ends with this process even after a SIGKILL.
 */
export function startNativeChild<T extends Message>(
  program: string,
  args: readonly string[],
): Child<T> {
  const process = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const messages = new EventEmitter();
  createInterface({ input: process.stdout }).on('line', (line) =>
    messages.emit('message', JSON.parse(line)),
  );
  // Writing fails if the process has ended. That is not an error here: `next` rejects when the
  // process ends.
  process.stdin.on('error', () => undefined);
  // Node emits no `exit` event for a program that cannot be started.
  process.on('error', () => process.emit('exit', 1, null));
  return childOver({
    name: program,
    process,
    messages,
    send: (command) => void process.stdin.write(`${(command as Message).kind}\n`),
  });
}
