// Starts any server on this host for a test or benchmark: in a child process, on free ports, with
// its data in a temporary directory.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown } from 'node:fs/promises';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts } from '@leadership/testkit/faults';
import { copyDataOf, type DataCopy } from './data-copy.ts';
import { type CommandLine, killOnExit } from './kill-on-exit.ts';
import { inTemporaryDirectory, type TemporaryDirectory } from './temporary-directory.ts';

/** Where a server runs. */
export interface ServerPlace {
  /** The directory of its data, which is its working directory. */
  readonly directory: string;
  /** Its ports of 127.0.0.1. */
  readonly ports: readonly number[];
  /** The first of its ports. */
  readonly port: number;
}

/** A user of this host. */
export interface HostUser {
  readonly uid: number;
  readonly gid: number;
}

/** How to start a server on this host. */
export interface ServerProgram {
  /** For messages, such as `DynamoDB Local 3.1.0`. */
  readonly name: string;
  /** The number of free ports that it needs, or the ports if others have to know them first. */
  readonly ports: number | readonly number[];
  readonly command: (place: ServerPlace) => CommandLine;
  /**
   * The line of its output that says that it serves clients, or a function that returns whether it
   * does, which is called until it does. A rejection means that it does not yet. The signal aborts
   * when the answer is no longer needed.
   */
  readonly ready: RegExp | ((place: ServerPlace, signal: AbortSignal) => Promise<boolean>);
  /** Creates its data, once before the first start. */
  readonly data?: (place: ServerPlace) => Promise<void>;
  /** Variables of its environment, in addition to those of this process. */
  readonly environment?: (place: ServerPlace) => Readonly<Record<string, string>>;
  /** The user that runs it and owns its directory. Default: that of this process. */
  readonly user?: HostUser | undefined;
  /** Shuts it down in order. Default: SIGTERM. */
  readonly stopSignal?: 'SIGINT' | 'SIGTERM';
  /** The timeout of a start, in milliseconds. Default: 60 000, for a starved machine. */
  readonly timeoutMs?: number;
  /** Aborts the first start. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A server in a child process. Disposing kills it, and removes its directory; both also happen if
 * this process ends first.
 */
export interface LocalServer extends AsyncDisposable {
  readonly port: number;
  /** All its ports; `port` is the first. */
  readonly ports: readonly number[];
  /** The directory of its data. */
  readonly directory: string;
  /** Whether its process runs, including while it is paused. */
  readonly isRunning: boolean;
  readonly isPaused: boolean;
  /** Sends SIGKILL: a crash. Resolves once the process has ended. */
  kill(): Promise<void>;
  /** Shuts it down in order. Resolves once the process has ended. */
  stop(): Promise<void>;
  /** Sends SIGSTOP: connections stay open, but the server does not respond. */
  pause(): void;
  /** Sends SIGCONT. */
  resume(): void;
  /**
   * Starts it again with the same ports and data. Resolves once it serves clients. Rejects if it is
   * running.
   */
  start(): Promise<void>;
  /** Copies its data, which are in the folder `data` of its directory. Pauses a running server meanwhile. */
  copyData(): Promise<DataCopy>;
}

/** The number of attempts with other ports, if another process takes one first. */
const attempts = 3;
/** The errors of programs if another process has taken a port. */
const portIsTaken = /EADDRINUSE|already in use/i;
/** The default timeout of a start, and the time for a shutdown in order. Milliseconds. */
const defaultTimeoutMs = 60_000;
/** Pause between two questions whether a server serves clients. Milliseconds. */
const periodMs = 20;
/** The number of last lines of the log that an error contains. */
const linesShown = 40;

/** Starts a server. Resolves once it serves clients. Rejects with its log if it does not. */
export async function localServer(program: ServerProgram): Promise<LocalServer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await firstStart(program);
    } catch (error) {
      program.signal?.throwIfAborted();
      const isFinal = attempt === attempts || typeof program.ports !== 'number';
      if (isFinal || !portIsTaken.test(String(error))) throw error;
    }
  }
}

async function firstStart(program: ServerProgram): Promise<LocalServer> {
  const { name, ports: wanted, user, signal } = program;
  signal?.throwIfAborted();
  const ports = typeof wanted === 'number' ? await freePorts(wanted) : wanted;
  const shortName = name.toLowerCase().replace(/\W+/g, '-');
  return inTemporaryDirectory(`leadership-${shortName}`, async (home) => {
    if (user !== undefined) await chown(home.path, user.uid, user.gid);
    const place = { directory: home.path, ports, port: ports[0] ?? 0 };
    await program.data?.(place);
    const control = serverControl(program, place, home);
    await control.start(signal);
    return Object.assign(control, { copyData: () => copyDataOf(program.name, control) });
  });
}

function serverControl(program: ServerProgram, place: ServerPlace, home: TemporaryDirectory) {
  const { name, stopSignal = 'SIGTERM' } = program;
  let running: ServerProcess | undefined;
  let isPaused = false;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ending = running;
    if (ending === undefined) return;
    ending.end(signal);
    // A paused process handles other signals than SIGKILL only after SIGCONT.
    ending.signal('SIGCONT');
    const kill = setTimeout(() => ending.signal('SIGKILL'), defaultTimeoutMs);
    await ending.ended;
    clearTimeout(kill);
  };
  const start = async (signal?: AbortSignal): Promise<void> => {
    if (running) throw new Error(`${name} is already running`);
    const begun = await serverProcess(program, place, home);
    [running, isPaused] = [begun, false];
    void begun.ended.then(() => {
      running = undefined;
    });
    const kill = (): void => begun.end('SIGKILL');
    signal?.addEventListener('abort', kill);
    try {
      if (signal?.aborted) kill();
      await begun.serving(program, place);
    } catch (error) {
      await end('SIGKILL');
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener('abort', kill);
    }
  };
  return {
    port: place.port,
    ports: place.ports,
    directory: place.directory,
    get isRunning() {
      return running !== undefined;
    },
    get isPaused() {
      return running !== undefined && isPaused;
    },
    kill: () => end('SIGKILL'),
    stop: () => end(stopSignal),
    pause() {
      if (running === undefined) throw new Error(`${name} is not running`);
      isPaused = true;
      running.signal('SIGSTOP');
    },
    resume() {
      isPaused = false;
      running?.signal('SIGCONT');
    },
    start,
    async [Symbol.asyncDispose]() {
      await end('SIGKILL');
      await home[Symbol.asyncDispose]();
    },
  };
}

interface ServerProcess {
  /** Resolves once the server serves clients. Rejects with its log if it does not. */
  serving(program: ServerProgram, place: ServerPlace): Promise<void>;
  /** Resolves once the process has ended. */
  readonly ended: Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Ends the process, which is expected then. */
  end(signal: NodeJS.Signals): void;
}

/**
 * Starts the process. `execa` would not do more: it ends children only if this process exits in
 * order.
 */
async function serverProcess(
  program: ServerProgram,
  place: ServerPlace,
  home: TemporaryDirectory,
): Promise<ServerProcess> {
  const [command, args] = await killOnExit(program.command(place));
  const child = spawn(command, args, {
    cwd: place.directory,
    env: { ...process.env, ...program.environment?.(place) },
    ...program.user,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const note = child.pid === undefined ? undefined : home.occupy(child.pid);
  const lines: string[] = [];
  let hasPrinted = false;
  // Read until the process ends, because a full pipe would block it.
  for (const input of [child.stdout, child.stderr])
    createInterface({ input }).on('line', (line) => {
      lines.push(line);
      if (lines.length > linesShown) lines.shift();
      if (program.ready instanceof RegExp) hasPrinted ||= program.ready.test(line);
    });
  const failure = (why: string): Error =>
    new Error([`${program.name} ${why}; its log:`, ...lines].join('\n  '));
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  const ended = exited.then(() => note?.[Symbol.dispose]());
  let isExpected = true;
  return {
    ended,
    signal: (signal) => void child.kill(signal),
    end(signal) {
      isExpected = true;
      child.kill(signal);
    },
    async serving({ ready, timeoutMs = defaultTimeoutMs }, at) {
      const over = new AbortController();
      const isReady =
        ready instanceof RegExp
          ? () => Promise.resolve(hasPrinted)
          : () => ready(at, over.signal).catch(() => false);
      const why = await Promise.race([
        exited.then((how) => `ended before it served (${how})`),
        polled(isReady, timeoutMs, over.signal),
      ]);
      over.abort();
      if (why !== undefined) throw failure(why);
      isExpected = false;
      // Clients that wait for a response would otherwise not learn the reason.
      void exited.then((how) => {
        if (!isExpected)
          process.stderr.write(`leadership: ${failure(`ended unexpectedly (${how})`).message}\n`);
      });
    },
  };
}

/** Resolves once the answer is true or the signal aborts; with a reason after the timeout. */
async function polled(
  isReady: () => Promise<boolean>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const until = performance.now() + timeoutMs; performance.now() < until; ) {
    if ((await isReady()) || signal.aborted) return undefined;
    await pause(periodMs);
  }
  return `did not serve within ${timeoutMs} ms`;
}

/** Resolves with whether a server accepts connections: for `ready`. */
export async function acceptsConnections({ port }: ServerPlace): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port });
  try {
    await once(socket, 'connect');
    return true;
  } finally {
    socket.destroy();
  }
}

/**
 * Resolves with all of several servers. If one cannot be started, aborts and ends the others, and
 * rejects with its error.
 */
export async function allStarted<T extends AsyncDisposable>(
  start: (signal: AbortSignal) => readonly Promise<T>[],
  given?: AbortSignal,
): Promise<readonly T[]> {
  const failed = new AbortController();
  const signal = AbortSignal.any([failed.signal, ...(given ? [given] : [])]);
  const outcomes = await Promise.allSettled(
    start(signal).map((one) =>
      one.catch((error: unknown) => {
        failed.abort(error);
        throw error;
      }),
    ),
  );
  const started = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (!failed.signal.aborted) return started;
  await Promise.all(started.map((one) => one[Symbol.asyncDispose]()));
  throw failed.signal.reason;
}
