import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chown, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts } from '@leadership/testkit/faults';
import { isOffered } from '../backends/is-offered.ts';
import { killOnExit } from '../backends/kill-on-exit.ts';
import { temporaryDirectory } from '../backends/temporary-directory.ts';
import type { PostgresAddress } from './local-postgres.ts';
import { serverUser } from './programs.ts';

/** PgBouncer before a server. Disposing kills it. */
export interface LocalPgbouncer extends AsyncDisposable {
  readonly port: number;
}

/** A starved machine needs this long to start it. Milliseconds. */
const timeoutMs = 60_000;
/** Debian installs it in a directory that only root has on its path. */
const directories = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin'];

async function program(): Promise<string | undefined> {
  for (const path of directories.filter(Boolean).map((one) => join(one, 'pgbouncer')))
    if (
      await access(path).then(
        () => true,
        () => false,
      )
    )
      return path;
  return undefined;
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
export async function localPgbouncer(server: PostgresAddress): Promise<LocalPgbouncer> {
  const [path, user, [port = 0]] = await Promise.all([program(), serverUser(), freePorts(1)]);
  if (path === undefined) throw new Error('PgBouncer is not installed');
  const home = await temporaryDirectory('leadership-pgbouncer');
  const file = join(home.path, 'pgbouncer.ini');
  await writeFile(file, settingsOf(server, port));
  if (user !== undefined)
    for (const owned of [home.path, file]) await chown(owned, user.uid, user.gid);
  const [command, args] = await killOnExit([path, [file]]);
  const child = spawn(command, args, { cwd: home.path, ...user, stdio: 'ignore' });
  const note = child.pid === undefined ? undefined : home.occupy(child.pid);
  const exited = once(child, 'close').catch((error: unknown) => error);
  const end = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
    note?.[Symbol.dispose]();
    await home[Symbol.asyncDispose]();
  };
  try {
    await accepts(port);
  } catch (error) {
    await end();
    throw error;
  }
  return { port, [Symbol.asyncDispose]: end };
}

/** Two connections to the server serve all clients, so that they really share them. */
function settingsOf({ host, port, user, password, database }: PostgresAddress, at: number): string {
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

async function accepts(port: number): Promise<void> {
  for (const until = performance.now() + timeoutMs; performance.now() < until; ) {
    const socket = connect({ host: '127.0.0.1', port });
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await pause(20);
  }
  throw new Error(`PgBouncer did not accept a connection within ${timeoutMs} ms`);
}
