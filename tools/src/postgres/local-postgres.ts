import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePorts } from '@leadership/testkit/faults';
import { killOnExit } from '../backends/kill-on-exit.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../backends/temporary-directory.ts';
import { type HostUser, programDirectory, serverUser } from './programs.ts';

/** Options of a server that this process starts. */
export interface PostgresOptions {
  /**
   * Whether commits wait for the disk. Default `false`: the tests kill the server and not the
   * machine, so nothing is lost.
   */
  readonly fsync?: boolean;
  /** Further settings of the server, by name. They override the settings that every server has. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** The address of a server, and the login of its superuser. */
export interface PostgresAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** A server that this process controls. Disposing kills it and removes its data. */
export interface LocalPostgres extends PostgresAddress, AsyncDisposable {
  readonly name: string;
  /** The directory of its data, and of its settings. */
  readonly directory: string;
  /**
   * Kills the server (`kill`: SIGKILL), or closes all connections and shuts it down cleanly
   * (`fast`: SIGINT).
   */
  stop(how: 'kill' | 'fast'): Promise<void>;
  /** Starts the server on the same port. Resolves once it accepts connections. */
  start(): Promise<void>;
  /** Starts a replica of this server, which receives every change. */
  replica(): Promise<LocalPostgres>;
}

/** The programs, files, port and options of one server. */
interface ServerSetup {
  readonly programs: string;
  /** The user of this host that runs the programs; `undefined` for the user of this process. */
  readonly owner: HostUser | undefined;
  readonly home: TemporaryDirectory;
  readonly data: string;
  readonly port: number;
  readonly options: PostgresOptions;
}

/** The login of the superuser. */
export const login = { user: 'leadership', password: 'leadership-password', database: 'postgres' };
const { user, password } = login;
/** A busy machine can need this long to start a server. */
const startTimeoutMs = 60_000;
/** The pause between two checks whether the server accepts connections. */
const pollMs = 20;

/** Starts the Postgres that is installed on this host, with new data in a temporary directory. */
export async function localPostgres(options: PostgresOptions = {}): Promise<LocalPostgres> {
  const setup = await newSetup(options);
  const secret = join(setup.home.path, 'password');
  await writeFile(secret, password);
  const access = ['-U', user, '-A', 'scram-sha-256', '--pwfile', secret];
  await run(setup, 'initdb', ['-D', setup.data, '-N', '-E', 'UTF8', '--no-locale', ...access]);
  return serve(setup);
}

async function newSetup(options: PostgresOptions): Promise<ServerSetup> {
  const programs = await programDirectory();
  if (programs === undefined) throw new Error('Postgres is not installed');
  const [owner, [port = 0]] = await Promise.all([serverUser(), freePorts(1)]);
  const home = await temporaryDirectory('leadership-postgres');
  const data = join(home.path, 'data');
  await mkdir(data, { mode: 0o700 });
  if (owner !== undefined)
    for (const path of [home.path, data]) await chown(path, owner.uid, owner.gid);
  return { programs, owner, home, data, port, options };
}

async function serve(setup: ServerSetup): Promise<LocalPostgres> {
  let server: ServerRun | undefined;
  const stop: LocalPostgres['stop'] = async (how) => {
    await server?.stop(how === 'kill' ? 'SIGKILL' : 'SIGINT');
    server = undefined;
  };
  const dispose = async (): Promise<void> => {
    await stop('kill');
    await setup.home[Symbol.asyncDispose]();
  };
  const start = async (): Promise<void> => {
    server ??= await runServer(setup);
  };
  try {
    await start();
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    name: 'Postgres of this host',
    host: '127.0.0.1',
    port: setup.port,
    ...login,
    directory: setup.data,
    stop,
    start,
    replica: () => replicaOf(setup),
    [Symbol.asyncDispose]: dispose,
  };
}

async function replicaOf(primary: ServerSetup): Promise<LocalPostgres> {
  const setup = await newSetup(primary.options);
  const from = `host=127.0.0.1 port=${primary.port} user=${user} password=${password}`;
  await run(setup, 'pg_basebackup', ['-D', setup.data, '-R', '-N', '-c', 'fast', '-d', from]);
  return serve(setup);
}

interface ServerRun {
  stop(signal: 'SIGKILL' | 'SIGINT'): Promise<void>;
}

async function runServer(setup: ServerSetup): Promise<ServerRun> {
  const { programs, owner, home, data, port, options } = setup;
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    fsync: options.fsync === true ? 'on' : 'off',
    // The conformance suite opens a hundred members at once, each with some connections.
    max_connections: '500',
    shared_buffers: '32MB',
    wal_level: 'replica',
    ...options.settings,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [command, args] = await killOnExit([join(programs, 'postgres'), ['-D', data, ...flags]]);
  const child = spawn(command, args, {
    cwd: home.path,
    ...owner,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const registration = child.pid === undefined ? undefined : home.occupy(child.pid);
  const output = lastOutput(child);
  const exited = once(child, 'close').catch((error: unknown) => error);
  const stop: ServerRun['stop'] = async (signal) => {
    child.kill(signal);
    await exited;
    registration?.[Symbol.dispose]();
  };
  const failed = exited.then(() => Promise.reject(new Error(`Postgres ended: ${output()}`)));
  try {
    await Promise.race([untilReady(programs, port), failed]);
  } catch (error) {
    await stop('SIGKILL');
    throw error;
  }
  // The end of a server that has started is no failure to start.
  failed.catch(() => undefined);
  return { stop };
}

/** Resolves once the server accepts connections. */
async function untilReady(programs: string, port: number): Promise<void> {
  const pgIsReady = join(programs, 'pg_isready');
  for (const until = performance.now() + startTimeoutMs; performance.now() < until; ) {
    const check = promisify(execFile)(pgIsReady, ['-q', '-h', '127.0.0.1', '-p', String(port)]);
    const isReady = await check.then(
      () => true,
      () => false,
    );
    if (isReady) return;
    await pause(pollMs);
  }
  throw new Error(`Postgres did not accept a connection within ${startTimeoutMs} ms`);
}

/**
 * Reads the output, because a full pipe would block the server. Returns a function that returns the
 * last 2000 characters.
 */
function lastOutput(child: ChildProcess): () => string {
  let output = '';
  const append = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-2000);
  };
  child.stdout?.on('data', append);
  child.stderr?.on('data', append);
  return () => output;
}

async function run(setup: ServerSetup, program: string, args: readonly string[]): Promise<void> {
  const options = { cwd: setup.home.path, ...setup.owner };
  await promisify(execFile)(join(setup.programs, program), [...args], options);
}
