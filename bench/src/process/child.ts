import { type ChildProcess, fork } from 'node:child_process';
import { type EventEmitter, once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What a child says: its kind, and whatever belongs to it. Everything must survive a trip over JSON. */
export interface Told {
  readonly kind: string;
}

/** A program in a process of its own. Disposing kills it. */
export interface Child<T extends Told> extends AsyncDisposable {
  /** The first thing of that kind that it says from now on; rejects where it ends, or says nothing for long. */
  next<Kind extends T['kind']>(kind: Kind): Promise<Extract<T, { readonly kind: Kind }>>;
  /** Calls `listen` with everything that it says from now on, until disposed. */
  hear(listen: (told: T) => void): Disposable;
  tell(command: object): void;
  /** SIGKILL: resolves once the process is gone. */
  kill(): Promise<void>;
}

/** How a program is started. */
export interface ChildOptions {
  /** Given to the program as JSON, its only argument. */
  readonly input: object;
  /** Options of node itself. */
  readonly execArgv?: readonly string[];
}

/** A child that says nothing for so long has failed. Milliseconds. */
const patienceMs = 60_000;

/** Starts a program of ours. */
export function startChild<T extends Told>(program: URL, { input, execArgv = [] }: ChildOptions): Child<T> {
  const process = fork(fileURLToPath(program), [JSON.stringify(input)], {
    execArgv: [...execArgv],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  // One that is gone takes no more words; whoever waits for an answer learns it from its end.
  const tell = (command: object): void => void (process.connected && process.send(command, () => undefined));
  return childOver({ name: program.pathname, process, voice: process, tell });
}

/** A process, and how one talks to it. */
interface Channel {
  readonly name: string;
  readonly process: ChildProcess;
  /** Emits `message` with what the process says. */
  readonly voice: EventEmitter;
  readonly tell: (command: object) => void;
}

/** A child, however it is talked to. */
export function childOver<T extends Told>(channel: Channel): Child<T> {
  const { process, voice, tell } = channel;
  const kill = async (): Promise<void> => {
    if (process.exitCode !== null || process.signalCode !== null) return;
    const gone = once(process, 'exit');
    process.kill('SIGKILL');
    await gone;
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
    const fail = (): void => settle(() => reject(new Error(`${name} never said "${kind}"${endOf(process)}`)));
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
  return exitCode === null && signalCode === null ? '' : `: it ended (${signalCode ?? `exit code ${exitCode}`})`;
}
