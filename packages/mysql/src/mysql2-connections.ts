// Connections of this member's own, by the package `mysql2`. They are not those of the application, so
// that a busy pool cannot delay a lease.
import { isIP } from 'node:net';
import { userInfo } from 'node:os';
import {
  type Clock,
  type Closable,
  loadPackage,
  openingMsOf,
  Reconnecting,
  raceSignal,
  type Supplied,
  supplied,
} from '@leadership/core/adapter';
import { type Connections, lastRows } from './connections.ts';
import { type MysqlConnection, type MysqlPool, poolOptions } from './options.ts';

/** The part of a connection of `mysql2/promise` that is used. */
interface Client {
  query(sql: string): Promise<readonly [unknown, ...unknown[]]>;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  readonly connection: { destroy(): void; readonly stream: { destroy(): void } };
}

/** A connection to the server. */
interface Link extends Closable {
  readonly client: Client;
}

/** How the connections of a member are used. */
export interface Mysql2Options {
  readonly connection: MysqlConnection;
  readonly pool?: MysqlPool | undefined;
  readonly group: string;
  readonly thresholdMs: number;
  readonly clock: Clock;
}

/** Creates the connection of a member. Connects on demand. */
export function mysql2Connections(options: Mysql2Options): Connections {
  const limits = { clock: options.clock, limitMs: openingMsOf(options.thresholdMs) };
  // After an error the transaction may be open.
  const link = new Reconnecting(
    (signal) => linkTo(options, signal),
    () => false,
    limits,
  );
  return {
    query: (sql, signal) =>
      link.use(signal, async ({ client }) => {
        const [results] = await raceSignal(client.query(sql), signal);
        return lastRows(results as readonly unknown[]);
      }),
    close: async () => link.close(),
  };
}

/** Connects, and sets what the statements rely on. */
async function linkTo(options: Mysql2Options, signal: AbortSignal): Promise<Link> {
  const { connection, pool, group, thresholdMs } = options;
  const { createConnection } = await loadPackage(
    'mysql2',
    () => import('mysql2/promise'),
    'set query for another driver',
  );
  const given = pool ? poolOptions(pool) : { ...fromEnvironment(), ...connection };
  const { password = '' } = given as MysqlConnection;
  const client = (await createConnection({
    ...given,
    password: await supplied('connection.password', 'string', password, signal),
    ssl: await currentTls(given as MysqlConnection, signal),
    ...{ multipleStatements: true, charset: 'utf8mb4', connectTimeout: openingMsOf(thresholdMs) },
    ...{ enableKeepAlive: true, keepAliveInitialDelay: thresholdMs },
    connectAttributes: { program_name: `leadership ${group}` },
  } as object)) as unknown as Client;
  const close = (): void => {
    client.connection.destroy();
    // A server that has lost its network never closes its side.
    client.connection.stream.destroy();
  };
  // Waits for locks are rare, and end with the interest in them.
  const lockSeconds = Math.max(1, Math.floor(thresholdMs / 3000));
  const session = `set autocommit = 1, innodb_lock_wait_timeout = ${lockSeconds}`;
  await raceSignal(client.query(session), signal).catch((error: unknown) => {
    close();
    throw error;
  });
  return { client, ended: new Promise((resolve) => client.on('error', resolve)), close };
}

/**
 * Returns the options of TLS. `mysql2` does not check the name in the certificate unless an option says
 * so, and at an IP address it would look for `localhost` there.
 */
async function currentTls(
  { ssl, host = '' }: MysqlConnection,
  signal: AbortSignal,
): Promise<unknown> {
  if (ssl === undefined || ssl === false) return undefined;
  const given = ssl === true ? {} : (ssl as Supplied<object>);
  const tls = await supplied('connection.ssl', 'object', given, signal);
  return { verifyIdentity: isIP(host) === 0, ...tls };
}

/** The variables that the programs of MySQL and MariaDB read. */
function fromEnvironment(): MysqlConnection {
  const { MYSQL_HOST: host = '127.0.0.1', MYSQL_TCP_PORT: port, MYSQL_PWD: password } = process.env;
  const { username: user } = userInfo();
  return { host, user, ...(port && { port: Number(port) }), ...(password && { password }) };
}
