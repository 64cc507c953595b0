import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { createInterface } from 'node:readline';
import { type Child, childOver, type Told } from './child.ts';

/**
 * Starts a program that is none of ours: it says lines of JSON on its standard output, and is told the kind of a command, a line each.
 * It has to end where its standard input does: that is how it dies with this process, were it of SIGKILL.
 */
export function startNativeChild<T extends Told>(program: string, args: readonly string[]): Child<T> {
  const process = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const voice = new EventEmitter();
  createInterface({ input: process.stdout }).on('line', (line) => voice.emit('message', JSON.parse(line)));
  // One that is gone takes no more words; whoever waits for an answer learns it from its end.
  process.stdin.on('error', () => undefined);
  // A program that cannot be started has no other end.
  process.on('error', () => process.emit('exit', 1, null));
  return childOver({ name: program, process, voice, tell: (command) => void process.stdin.write(`${(command as Told).kind}\n`) });
}
