// Starts PgBouncer, a pooler of connections, between a test's members and Postgres.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { directoryWith } from '../backends/directory-with.ts';
import type { DatabaseAddress } from '../backends/given-server.ts';
import { hostUser } from '../backends/host-user.ts';
import { isOffered } from '../backends/is-offered.ts';
import {
  acceptsConnections,
  type LocalServer,
  localServer,
  type ServerPlace,
} from '../backends/local-server.ts';

async function program(): Promise<string | undefined> {
  // Debian installs it in a directory that only root has on its path.
  const directory = await directoryWith(['pgbouncer'], ['/usr/sbin']);
  return directory && join(directory, 'pgbouncer');
}

/**
 * Resolves with whether PgBouncer is installed. If not, one line on stderr says so; if
 * `REQUIRE_BACKENDS` contains `postgres`, the promise rejects instead.
 */
export async function hasPgbouncer(): Promise<boolean> {
  const missing = 'install the package pgbouncer';
  return isOffered('postgres', (await program()) === undefined ? missing : undefined);
}

/** Starts PgBouncer in transaction mode before a server. Resolves once it accepts connections. */
export async function localPgbouncer(server: DatabaseAddress): Promise<LocalServer> {
  const [path, user] = await Promise.all([program(), hostUser('postgres')]);
  if (path === undefined) throw new Error('PgBouncer is not installed');
  const fileIn = ({ directory }: ServerPlace): string => join(directory, 'pgbouncer.ini');
  return localServer({
    name: 'PgBouncer',
    ports: 1,
    user,
    data: (place) => writeFile(fileIn(place), settingsOf(server, place.port)),
    command: (place) => [path, [fileIn(place)]],
    ready: acceptsConnections,
  });
}

/** Two connections to the server serve all clients, so that they really share them. */
function settingsOf({ host, port, user, password, database }: DatabaseAddress, at: number): string {
  return [
    '[databases]',
    `${database} = host=${host} port=${port} user=${user} password=${password} dbname=${database}`,
    '[pgbouncer]',
    ...['listen_addr = 127.0.0.1', `listen_port = ${at}`, 'unix_socket_dir ='],
    ...['auth_type = any', 'pool_mode = transaction', 'default_pool_size = 2'],
    'ignore_startup_parameters = extra_float_digits',
    '',
  ].join('\n');
}
