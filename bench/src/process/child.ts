import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What a child says: its kind, and whatever belongs to it. Everything must survive a trip over JSON. */
export interface Told {
  readonly kind: string;
}

/** A program in a process of its own. Disposing kills it. */
export interface Child<T extends Told> extends AsyncDisposable {
  /** The first thing of that kind that it says from now on; rejects where it ends, or says nothing for long. */
  next<Kind extends T['kind']>(kind: Kind): Promise<Extract<T, { readonly kind: Kind }>>;
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

/** Starts a program. */
export function startChild<T extends Told>(program: URL, { input, execArgv = [] }: ChildOptions): Child<T> {
  const child = fork(fileURLToPath(program), [JSON.stringify(input)], {
    execArgv: [...execArgv],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  return {
    next: (kind) => nextOf(child, kind, program),
    tell: (command) => void child.send(command),
    kill,
    [Symbol.asyncDispose]: kill,
  };
}

function nextOf<T extends Told>(child: ChildProcess, kind: string, program: URL): Promise<T> {
  return new Promise((resolve, reject) => {
    const hear = (message: unknown): void => {
      const told = message as T;
      if (told.kind === kind) settle(() => resolve(told));
    };
    const fail = (): void => settle(() => reject(new Error(`${program.pathname} never said "${kind}"`)));
    const timer = setTimeout(fail, patienceMs);
    const settle = (then: () => void): void => {
      clearTimeout(timer);
      child.off('message', hear);
      child.off('exit', fail);
      then();
    };
    child.on('message', hear);
    child.on('exit', fail);
  });
}
