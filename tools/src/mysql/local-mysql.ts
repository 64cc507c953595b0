// Starts a MariaDB on this host that a test may stop and restart.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { directoryWith } from '../backends/directory-with.ts';
import type { DatabaseAddress, DatabaseServer } from '../backends/given-server.ts';
import {
  type HostUser,
  type LocalServer,
  localServer,
  type ServerPlace,
} from '../backends/local-server.ts';

/** Options of a server that this process starts. */
export interface MysqlServerOptions {
  /**
   * Whether commits wait for the disk. Default `false`: the tests kill the server and not the
   * machine, so nothing is lost.
   */
  readonly fsync?: boolean;
  /** The user that runs it. Default: that of this process. */
  readonly user?: HostUser | undefined;
  /** Further settings of the server, by name. They override the settings that every server has. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A server that this process controls. `stop` shuts it down cleanly. */
export interface LocalMysql extends DatabaseServer, LocalServer {
  readonly port: number;
  /** Starts a replica of this server, which receives every change, and is read-only. */
  replica(): Promise<LocalMysql>;
  /** Executes statements as the user with all rights, with the program `mariadb`. */
  execute(sql: string): Promise<string>;
}

/** The login of the user with all rights. */
export const login = {
  user: 'leadership',
  password: 'leadership-password',
  database: 'leadership',
};

const programs = ['mariadbd', 'mariadb-install-db', 'mariadb'];

/**
 * Resolves with what returns the path of each program, some of which Debian installs in a directory
 * that only root has on its path; `undefined` if one is missing.
 */
export async function mariadbPrograms(): Promise<((name: string) => string) | undefined> {
  const found = await Promise.all(
    programs.map(
      async (name) => [name, await directoryWith([name], ['/usr/sbin', '/usr/bin'])] as const,
    ),
  );
  const paths = new Map(found);
  if (found.some(([, directory]) => directory === undefined)) return undefined;
  return (name) => join(paths.get(name) ?? '', name);
}

/** Starts the MariaDB that is installed on this host, with new data in a temporary directory. */
export async function localMysql(options: MysqlServerOptions = {}): Promise<LocalMysql> {
  const pathOf = await mariadbPrograms();
  if (pathOf === undefined) throw new Error('MariaDB is not installed');
  const server = await localServer({
    name: 'MariaDB',
    ports: 1,
    data: (place) => createData(place, pathOf('mariadb-install-db'), options),
    user: options.user,
    command: (place) => [pathOf('mariadbd'), flags(place, options)],
    ready: /ready for connections/,
  });
  const address = { host: '127.0.0.1', port: server.port, ...login };
  const execute = async (sql: string): Promise<string> => {
    const { host, port, user, password, database } = address;
    const way = ['-h', host, '-P', String(port), '-u', user, `-p${password}`];
    const args = ['--no-defaults', ...way, '-N', '-B', '-e', sql, database];
    return (await promisify(execFile)(pathOf('mariadb'), args)).stdout.trim();
  };
  return Object.assign(server, {
    name: 'MariaDB of this host',
    ...address,
    execute,
    replica: () => replicaOf(address, options),
  });
}

async function replicaOf(
  { host, port, user, password }: DatabaseAddress,
  options: MysqlServerOptions,
): Promise<LocalMysql> {
  const replica = await localMysql(options);
  // Not an option: a replica that was promoted is no longer read-only, also after a restart.
  await replica.execute(
    `set global read_only = 1; change master to master_host='${host}', master_port=${port}, master_user='${user}', master_password='${password}', master_use_gtid=slave_pos, master_heartbeat_period=1; start slave`,
  );
  return replica;
}

async function createData(
  { directory }: ServerPlace,
  program: string,
  options: MysqlServerOptions,
): Promise<void> {
  const own = ['--auth-root-authentication-method=normal', '--skip-test-db', ...userFlags(options)];
  const places = [`--datadir=${dataIn(directory)}`, `--tmpdir=${directory}`];
  const args = ['--no-defaults', ...places, ...own];
  await promisify(execFile)(program, args, { cwd: directory, ...options.user });
  // The server executes it with each start, before it accepts connections.
  const { user, password, database } = login;
  await writeFile(
    join(directory, 'init.sql'),
    `create database if not exists ${database};
create user if not exists ${user}@'%' identified by '${password}';
grant all on *.* to ${user}@'%' with grant option;
`,
  );
}

/** The server runs as root only with this option. */
function userFlags({ user }: MysqlServerOptions): readonly string[] {
  return process.getuid?.() === 0 && user === undefined ? ['--user=root'] : [];
}

function dataIn(directory: string): string {
  return join(directory, 'data');
}

function flags({ directory, port }: ServerPlace, options: MysqlServerOptions): readonly string[] {
  const settings = {
    datadir: dataIn(directory),
    'init-file': join(directory, 'init.sql'),
    'bind-address': '127.0.0.1',
    port: String(port),
    socket: join(directory, 'socket'),
    'pid-file': join(directory, 'pid'),
    // A server that starts deletes what others have there.
    tmpdir: directory,
    'skip-name-resolve': '1',
    'server-id': String(port),
    // A replica reads it, also of a server that was one.
    'log-bin': join(dataIn(directory), 'binlog'),
    'log-slave-updates': '1',
    'innodb-buffer-pool-size': '32M',
    // The conformance suite opens a hundred members at once, each with some connections.
    'max-connections': '500',
    ...(options.fsync !== true && { 'innodb-flush-method': 'nosync' }),
    ...options.settings,
  };
  const all = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  return ['--no-defaults', ...userFlags(options), ...all];
}
