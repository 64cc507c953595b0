import { type ChildProcess, fork } from 'node:child_process';
import { type EventEmitter, once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { runOnExit } from '@leadership/testkit/faults';

/** A message of a child process. */
export interface Message {
  readonly kind: string;
}

/**
 * A child process. Disposing kills it. It never outlives this process: a shell kills it when this
 * process ends, even by SIGKILL, and even if the child is stopped.
 */
export interface Child<T extends Message> extends AsyncDisposable {
  readonly pid: number;
  /**
   * Resolves with the next message of this kind. Rejects if the process ends, or if none arrives
   * within a minute.
   */
  next<Kind extends T['kind']>(kind: Kind): Promise<Extract<T, { readonly kind: Kind }>>;
  /** Calls `listener` with every message from now on, until disposed. */
  listen(listener: (message: T) => void): Disposable;
  /** Sends a command. Does nothing if the process has ended. */
  send(command: object | string): void;
  /** Sends SIGKILL. Resolves once the process has ended. */
  kill(): Promise<void>;
  /** Resolves with how the process ended: a signal or an exit code, or why it did not start. */
  readonly ended: Promise<string>;
}

/** How to start a program. */
export interface ChildOptions {
  /** The only argument of the program, passed as JSON. */
  readonly input: object;
  /** Options of Node itself, in addition to those of this process. */
  readonly execArgv?: readonly string[];
  /** Variables of its environment, in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** `ignore`: the child's output is discarded. Default: it is that of this process. */
  readonly stdout?: 'ignore';
  readonly stderr?: 'ignore';
}

/** The timeout of `next`, in milliseconds. */
const timeoutMs = 60_000;

/**
 * Starts a Node program in a child process. Messages and commands may contain everything that the
 * structured clone algorithm copies, bigints included.
 */
export function startChild<T extends Message>(
  program: URL,
  { input, execArgv = [], env, stdout, stderr }: ChildOptions,
): Child<T> {
  const child = fork(fileURLToPath(program), [JSON.stringify(input)], {
    execArgv: [...process.execArgv, ...execArgv],
    env: { ...process.env, ...env },
    serialization: 'advanced',
    stdio: ['ignore', stdout ?? 'inherit', stderr ?? 'inherit', 'ipc'],
  });
  return childOver({
    name: program.pathname,
    process: child,
    messages: child,
    // Sending fails if the process has ended. That is not an error here: `next` rejects when the
    // process ends.
    send: (command) => void (child.connected && child.send(command, () => undefined)),
  });
}

/** A process and the ways to exchange messages with it. */
interface Channel {
  readonly name: string;
  readonly process: ChildProcess;
  /** Emits `message` for each message of the process. */
  readonly messages: EventEmitter;
  readonly send: (command: object | string) => void;
}

/** Returns a child that exchanges messages over this channel. */
export function childOver<T extends Message>(channel: Channel): Child<T> {
  const { process, messages, send } = channel;
  const guard = runOnExit('kill -KILL "$0"', String(process.pid ?? 0));
  const ended = new Promise<string>((resolve) => {
    process.once('error', (error) => resolve(String(error)));
    process.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  // The kernel may give the id of an ended process to another one.
  void ended.then(() => guard[Symbol.dispose]());
  const kill = async (): Promise<void> => {
    if (process.exitCode !== null || process.signalCode !== null) return;
    const exited = once(process, 'exit');
    process.kill('SIGKILL');
    await exited;
  };
  return {
    pid: process.pid ?? 0,
    next: (kind) => nextOf(channel, kind),
    listen(listener) {
      messages.on('message', listener);
      return { [Symbol.dispose]: () => messages.off('message', listener) };
    },
    send,
    kill,
    ended,
    [Symbol.asyncDispose]: kill,
  };
}

function nextOf<T extends Message>({ name, process, messages }: Channel, kind: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const receive = (message: T): void => {
      if (message.kind === kind) settle(() => resolve(message));
    };
    const fail = (): void =>
      settle(() => reject(new Error(`${name} did not report "${kind}"${endOf(process)}`)));
    const timer = setTimeout(fail, timeoutMs);
    const settle = (then: () => void): void => {
      clearTimeout(timer);
      messages.off('message', receive);
      process.off('exit', fail);
      then();
    };
    messages.on('message', receive);
    process.on('exit', fail);
  });
}

function endOf({ exitCode, signalCode }: ChildProcess): string {
  return exitCode === null && signalCode === null
    ? ''
    : `: it ended (${signalCode ?? `exit code ${exitCode}`})`;
}
