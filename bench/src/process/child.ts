import { type ChildProcess, fork } from 'node:child_process';
import { type EventEmitter, once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A message of a child process. Its fields must be JSON values. */
export interface Told {
  readonly kind: string;
}

/** A child process. Disposing kills it. */
export interface Child<T extends Told> extends AsyncDisposable {
  /**
   * Resolves with the next message of this kind. Rejects if the process ends, or if none arrives
   * within a minute.
   */
  next<Kind extends T['kind']>(kind: Kind): Promise<Extract<T, { readonly kind: Kind }>>;
  /** Calls `listen` with every message from now on, until disposed. */
  hear(listen: (told: T) => void): Disposable;
  /** Sends a command. Does nothing if the process has ended. */
  tell(command: object): void;
  /** Sends SIGKILL. Resolves once the process has ended. */
  kill(): Promise<void>;
}

/** How to start a program. */
export interface ChildOptions {
  /** The only argument of the program, passed as JSON. */
  readonly input: object;
  /** Options of Node itself, in addition to those of this process. */
  readonly execArgv?: readonly string[];
}

/** The timeout of `next`, in milliseconds. */
const patienceMs = 60_000;

/** Starts a program of this package in a child process. */
export function startChild<T extends Told>(
  program: URL,
  { input, execArgv = [] }: ChildOptions,
): Child<T> {
  const child = fork(fileURLToPath(program), [JSON.stringify(input)], {
    execArgv: [...process.execArgv, ...execArgv],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  // Sending fails if the process has ended. That is not an error here: `next` rejects when the
  // process ends.
  const tell = (command: object): void =>
    void (child.connected && child.send(command, () => undefined));
  return childOver({ name: program.pathname, process: child, voice: child, tell });
}

/** A process and the ways to exchange messages with it. */
interface Channel {
  readonly name: string;
  readonly process: ChildProcess;
  /** Emits `message` for each message of the process. */
  readonly voice: EventEmitter;
  readonly tell: (command: object) => void;
}

/** Returns a child that exchanges messages over this channel. */
export function childOver<T extends Told>(channel: Channel): Child<T> {
  const { process, voice, tell } = channel;
  const kill = async (): Promise<void> => {
    if (process.exitCode !== null || process.signalCode !== null) return;
    const exited = once(process, 'exit');
    process.kill('SIGKILL');
    await exited;
  };
  return {
    next: (kind) => nextOf(channel, kind),
    hear(listen) {
      voice.on('message', listen);
      return { [Symbol.dispose]: () => voice.off('message', listen) };
    },
    tell,
    kill,
    [Symbol.asyncDispose]: kill,
  };
}

function nextOf<T extends Told>({ name, process, voice }: Channel, kind: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const hear = (told: T): void => {
      if (told.kind === kind) settle(() => resolve(told));
    };
    const fail = (): void =>
      settle(() => reject(new Error(`${name} did not report "${kind}"${endOf(process)}`)));
    const timer = setTimeout(fail, patienceMs);
    const settle = (then: () => void): void => {
      clearTimeout(timer);
      voice.off('message', hear);
      process.off('exit', fail);
      then();
    };
    voice.on('message', hear);
    process.on('exit', fail);
  });
}

function endOf({ exitCode, signalCode }: ChildProcess): string {
  return exitCode === null && signalCode === null
    ? ''
    : `: it ended (${signalCode ?? `exit code ${exitCode}`})`;
}
