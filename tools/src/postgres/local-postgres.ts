// Starts a Postgres on this host that a test may stop and restart.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DatabaseServer } from '../backends/given-server.ts';
import { hostUser } from '../backends/host-user.ts';
import { type LocalServer, localServer, type ServerPlace } from '../backends/local-server.ts';
import { programDirectory } from './programs.ts';

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

/** A server that this process controls. `stop` closes all connections and shuts it down cleanly. */
export interface LocalPostgres extends DatabaseServer, LocalServer {
  readonly port: number;
  /** Starts a replica of this server, which receives every change. */
  replica(): Promise<LocalPostgres>;
}

/** The login of the superuser. */
export const login = { user: 'leadership', password: 'leadership-password', database: 'postgres' };
const { user, password } = login;

/** Runs a program of Postgres as the user of the server. */
type Run = (program: string, args: readonly string[]) => Promise<void>;

/** Creates the data of a server in this directory. */
type Create = (data: string, run: Run, place: ServerPlace) => Promise<void>;

/** Starts the Postgres that is installed on this host, with new data in a temporary directory. */
export function localPostgres(options: PostgresOptions = {}): Promise<LocalPostgres> {
  return serve(options, async (data, run, { directory }) => {
    const secret = join(directory, 'password');
    await writeFile(secret, password);
    const access = ['-U', user, '-A', 'scram-sha-256', '--pwfile', secret];
    await run('initdb', ['-D', data, '-N', '-E', 'UTF8', '--no-locale', ...access]);
  });
}

function replicaOf(port: number, options: PostgresOptions): Promise<LocalPostgres> {
  const from = `host=127.0.0.1 port=${port} user=${user} password=${password}`;
  return serve(options, (data, run) =>
    run('pg_basebackup', ['-D', data, '-R', '-N', '-c', 'fast', '-d', from]),
  );
}

async function serve(options: PostgresOptions, create: Create): Promise<LocalPostgres> {
  const programs = await programDirectory();
  if (programs === undefined) throw new Error('Postgres is not installed');
  const owner = await hostUser('postgres');
  const run =
    (directory: string): Run =>
    async (program, args) => {
      await promisify(execFile)(join(programs, program), [...args], { cwd: directory, ...owner });
    };
  const server = await localServer({
    name: 'Postgres',
    ports: 1,
    user: owner,
    data: (place) => create(dataOf(place), run(place.directory), place),
    command: (place) => [
      join(programs, 'postgres'),
      ['-D', dataOf(place), ...flags(place, options)],
    ],
    ready: async ({ directory, port }) => {
      await run(directory)('pg_isready', ['-q', '-h', '127.0.0.1', '-p', String(port)]);
      return true;
    },
    stopSignal: 'SIGINT',
  });
  return Object.assign(server, {
    name: 'Postgres of this host',
    host: '127.0.0.1',
    ...login,
    replica: () => replicaOf(server.port, options),
  });
}

function dataOf({ directory }: ServerPlace): string {
  return join(directory, 'data');
}

function flags({ port }: ServerPlace, options: PostgresOptions): readonly string[] {
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
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
