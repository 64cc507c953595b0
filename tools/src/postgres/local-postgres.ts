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
  /** Settings of the server, in addition. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** The address of a server, and the user that may do everything. */
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
  /** Kills the server (SIGKILL), or stops it in order (`fast`), which ends all connections. */
  stop(how: 'kill' | 'fast'): Promise<void>;
  /** Starts the server on the same port. Resolves once it accepts connections. */
  start(): Promise<void>;
  /** Starts a replica of this server, which receives every change. */
  replica(): Promise<LocalPostgres>;
}

/** The files and programs of one server. */
interface Place {
  readonly programs: string;
  readonly user: HostUser | undefined;
  readonly home: TemporaryDirectory;
  readonly data: string;
  readonly port: number;
  readonly options: PostgresOptions;
}

const [user, password, database] = ['leadership', 'leadership-password', 'postgres'];
/** A starved machine needs this long to start a server. Milliseconds. */
const patienceMs = 60_000;
/** Pause between two questions whether the server accepts connections. Milliseconds. */
const periodMs = 20;

/** Creates a database in a temporary directory and starts a server of this host on it. */
export async function localPostgres(options: PostgresOptions = {}): Promise<LocalPostgres> {
  const place = await newPlace(options);
  const secret = join(place.home.path, 'password');
  await writeFile(secret, password);
  const login = ['-U', user, '-A', 'scram-sha-256', '--pwfile', secret];
  await run(place, 'initdb', ['-D', place.data, '-N', '-E', 'UTF8', '--no-locale', ...login]);
  return serve(place);
}

async function newPlace(options: PostgresOptions): Promise<Place> {
  const programs = await programDirectory();
  if (programs === undefined) throw new Error('Postgres is not installed');
  const [owner, [port = 0], home] = await Promise.all([
    serverUser(),
    freePorts(1),
    temporaryDirectory('leadership-postgres'),
  ]);
  const data = join(home.path, 'data');
  await mkdir(data, { mode: 0o700 });
  if (owner !== undefined)
    for (const path of [home.path, data]) await chown(path, owner.uid, owner.gid);
  return { programs, user: owner, home, data, port, options };
}

async function serve(place: Place): Promise<LocalPostgres> {
  let server: ServerRun | undefined;
  const stop: LocalPostgres['stop'] = async (how) => {
    await server?.stop(how === 'kill' ? 'SIGKILL' : 'SIGINT');
    server = undefined;
  };
  const end = async (): Promise<void> => {
    await stop('kill');
    await place.home[Symbol.asyncDispose]();
  };
  const start = async (): Promise<void> => {
    server ??= await runServer(place);
  };
  try {
    await start();
  } catch (error) {
    await end();
    throw error;
  }
  return {
    name: 'Postgres of this host',
    ...{ host: '127.0.0.1', port: place.port, user, password, database },
    directory: place.data,
    ...{ stop, start },
    replica: () => replicaOf(place),
    [Symbol.asyncDispose]: end,
  };
}

async function replicaOf(primary: Place): Promise<LocalPostgres> {
  const place = await newPlace(primary.options);
  const from = `host=127.0.0.1 port=${primary.port} user=${user} password=${password}`;
  await run(place, 'pg_basebackup', ['-D', place.data, '-R', '-N', '-c', 'fast', '-d', from]);
  return serve(place);
}

interface ServerRun {
  stop(signal: 'SIGKILL' | 'SIGINT'): Promise<void>;
}

async function runServer({ programs, user, home, data, port, options }: Place): Promise<ServerRun> {
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
    ...user,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const note = child.pid === undefined ? undefined : home.occupy(child.pid);
  const output = lastOutput(child);
  const exited = once(child, 'close').catch((error: unknown) => error);
  const stop: ServerRun['stop'] = async (signal) => {
    child.kill(signal);
    await exited;
    note?.[Symbol.dispose]();
  };
  const failed = exited.then(() => Promise.reject(new Error(`Postgres ended: ${output()}`)));
  try {
    await Promise.race([accepts(programs, port), failed]);
  } catch (error) {
    await stop('SIGKILL');
    throw error;
  }
  failed.catch(() => undefined);
  return { stop };
}

/** Resolves once the server accepts connections. */
async function accepts(programs: string, port: number): Promise<void> {
  const isReady = join(programs, 'pg_isready');
  for (const until = performance.now() + patienceMs; performance.now() < until; ) {
    const answer = promisify(execFile)(isReady, ['-q', '-h', '127.0.0.1', '-p', String(port)]);
    if (
      await answer.then(
        () => true,
        () => false,
      )
    )
      return;
    await pause(periodMs);
  }
  throw new Error(`Postgres did not accept a connection within ${patienceMs} ms`);
}

/** Reads the output, because a full pipe would block the server. Returns the end of it. */
function lastOutput(child: ChildProcess): () => string {
  let output = '';
  const append = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-2000);
  };
  child.stdout?.on('data', append);
  child.stderr?.on('data', append);
  return () => output;
}

async function run(place: Place, program: string, args: readonly string[]): Promise<void> {
  const options = { cwd: place.home.path, ...place.user };
  await promisify(execFile)(join(place.programs, program), [...args], options);
}
