import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts } from '@leadership/testkit/faults';
import { killOnExit } from '../backends/kill-on-exit.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../backends/temporary-directory.ts';
import { askRedis } from './ask-redis.ts';

/** The address of a server. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
}

/** Settings of the server, as in `redis.conf`; `undefined` leaves out one that is set here. */
export type RedisSettings = Readonly<Record<string, string | undefined>>;

/** A server that this process controls. Disposing kills it and removes its data. */
export interface LocalRedis extends RedisAddress, AsyncDisposable {
  readonly name: string;
  /** The directory of its data. */
  readonly directory: string;
  /** Sends one command, and resolves with its reply as text. */
  ask(...command: readonly string[]): Promise<string>;
  /** Stops the server as it is (SIGSTOP), or resumes it. */
  signal(how: 'SIGSTOP' | 'SIGCONT'): void;
  /** Kills the server (SIGKILL). */
  kill(): Promise<void>;
  /** Starts the server on the same port. Resolves once it answers. */
  start(): Promise<void>;
}

/** A starved machine needs this long to start a server. Milliseconds. */
const timeoutMs = 60_000;
/** Pause between two questions whether the server answers. Milliseconds. */
const periodMs = 20;
const programs = ['redis-server', 'valkey-server'];

/** The settings of a server with data. It keeps what it acknowledged if it is killed. */
const withData = {
  save: '',
  appendonly: 'yes',
  // The default, `everysec`, replies before it writes while the disk is still busy with the last
  // second, so a kill loses the change. No machine is switched off here, so nothing is flushed.
  appendfsync: 'no',
  'repl-diskless-sync-delay': '0',
};

/** Leaves out the settings of a server with data. */
export const withoutData: RedisSettings = Object.fromEntries(
  Object.keys(withData).map((name) => [name, undefined]),
);

/** Resolves with the installed server, `undefined` if there is none. */
export async function serverProgram(): Promise<string | undefined> {
  for (const directory of (process.env['PATH'] ?? '').split(':'))
    for (const program of programs) {
      const path = join(directory, program);
      const isThere = await access(path).then(
        () => true,
        () => false,
      );
      if (directory !== '' && isThere) return path;
    }
  return undefined;
}

/**
 * Starts a server of this host in a temporary directory. It writes every change to a file before it
 * replies, and so keeps it if it is killed.
 */
export async function localRedis(
  settings: RedisSettings = {},
  args: (directory: string) => Promise<readonly string[]> = () => Promise.resolve([]),
): Promise<LocalRedis> {
  const [program, [port = 0]] = await Promise.all([serverProgram(), freePorts(1)]);
  if (program === undefined) throw new Error('Redis is not installed');
  const home = await temporaryDirectory('leadership-redis');
  const all = {
    bind: '127.0.0.1',
    port: String(port),
    dir: home.path,
    ...withData,
    ...settings,
  };
  const flags = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, ...value.split(' ')],
  );
  const command = [...(await args(home.path)), ...flags];
  let server: ServerRun | undefined;
  const kill = async (): Promise<void> => {
    await server?.kill();
    server = undefined;
  };
  const start = async (): Promise<void> => {
    server ??= await runServer(program, command, { home, port });
  };
  const end = async (): Promise<void> => {
    await kill();
    await home[Symbol.asyncDispose]();
  };
  try {
    await start();
  } catch (error) {
    await end();
    throw error;
  }
  return {
    name: 'Redis of this host',
    host: '127.0.0.1',
    port,
    directory: home.path,
    kill,
    start,
    ask: (...asked) => askRedis(port, ...asked),
    signal: (how) => server?.child.kill(how),
    [Symbol.asyncDispose]: end,
  };
}

interface ServerRun {
  readonly child: ChildProcess;
  kill(): Promise<void>;
}

async function runServer(
  program: string,
  flags: readonly string[],
  { home, port }: { readonly home: TemporaryDirectory; readonly port: number },
): Promise<ServerRun> {
  const [command, args] = await killOnExit([program, flags]);
  const child = spawn(command, args, { cwd: home.path, stdio: ['ignore', 'pipe', 'pipe'] });
  const note = child.pid === undefined ? undefined : home.occupy(child.pid);
  let output = '';
  const append = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-2000);
  };
  child.stdout.on('data', append);
  child.stderr.on('data', append);
  const exited = once(child, 'close').catch((error: unknown) => error);
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
    note?.[Symbol.dispose]();
  };
  const failed = exited.then(() => Promise.reject(new Error(`Redis ended: ${output}`)));
  try {
    await Promise.race([answers(port), failed]);
  } catch (error) {
    await kill();
    throw error;
  }
  failed.catch(() => undefined);
  return { child, kill };
}

/** Resolves once the server answers, also if it asks for a password. */
async function answers(port: number): Promise<void> {
  for (const until = performance.now() + timeoutMs; performance.now() < until; ) {
    const isReady = await askRedis(port, 'PING').then(
      () => true,
      (error: Error) => error.message.includes('NOAUTH'),
    );
    if (isReady) return;
    await pause(periodMs);
  }
  throw new Error(`Redis did not answer within ${timeoutMs} ms`);
}
