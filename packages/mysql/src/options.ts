// The options of the MySQL backend: their types and checks.
import { unescape as decoded } from 'node:querystring';
import type { SourceOptions } from '@leadership/core';
import {
  type ConnectionField,
  check,
  checkConnection,
  checkNames,
  checkTypes,
  namesGiven,
  type UrlParameters,
} from '@leadership/core/adapter';
import type { SendStatements } from './connections.ts';
import { bytesMax } from './table.ts';

/**
 * Where the server is and who connects. What is left out comes from the environment, as for the
 * programs of MySQL and MariaDB.
 */
export interface MysqlConnection {
  /** The address of the primary. It must follow the primary in a fail-over. Default `MYSQL_HOST`, or 127.0.0.1. */
  readonly host?: string;
  /** The port of the server. Default `MYSQL_TCP_PORT`, or 3306. */
  readonly port?: number;
  /** The name of the database. */
  readonly database?: string;
  /** The name of the user. Default: that of the user who runs this process. */
  readonly user?: string;
  /**
   * The password, or a function that returns a current one for each new connection, such as a token
   * that expires. Default `MYSQL_PWD`.
   */
  readonly password?: string | (() => string | Promise<string>);
  /**
   * TLS: `true`, options of `tls.connect` such as `ca`, or a function that returns current ones for
   * each new connection. The certificate must name `host`, unless that is an IP address or
   * `verifyIdentity` is `false`.
   * Default: no TLS.
   */
  readonly ssl?: boolean | object | (() => object | Promise<object>);
}

/** The part of a pool of `mysql2` that is used: how it connects. That of `mysql2/promise` has it in `pool`. */
export type MysqlPool =
  | { readonly config: object }
  | { readonly pool: { readonly config: object } };

/** Options for {@link mysqlLeadership}. */
export interface MysqlOptions extends SourceOptions {
  /** The name of the group. Its members compete for the same roles. */
  readonly group: string;
  /**
   * How to connect: `mysql://USER:PASSWORD@HOST:PORT/DATABASE`, or its parts. Needs the package
   * `mysql2`. Default: the environment.
   */
  readonly connection?: string | MysqlConnection;
  /**
   * A pool of `mysql2`, whose options are used. The member opens connections of its own, so that a
   * busy pool cannot delay a lease.
   */
  readonly pool?: MysqlPool;
  /**
   * Sends statements with any driver, instead of connections of this package. The application is
   * then responsible that a connection is free within T/3.
   */
  readonly query?: SendStatements;
  /** The name of the table. All members must use the same. Default `leadership`. */
  readonly table?: string;
  /** Whether a member creates a missing table. Default `true`. */
  readonly create?: boolean;
}

/** The query parameters of a URL. */
export const parameters: UrlParameters = { user: 'string', table: 'string', create: 'boolean' };

/** The options of this backend beside those of every source. */
export const ownOptions: readonly string[] = ['connection', 'pool', 'query', 'table', 'create'];

/**
 * Checks the options as far as that needs no network.
 * @throws LeadershipError `invalid-options`
 */
export function checkOptions(options: MysqlOptions): void {
  const { group, connection, pool, query, table, create } = options;
  const drivers = namesGiven({ connection, pool, query });
  check(drivers.length < 2, `${drivers.join(' and ')} are set: set one of them`);
  checkTypes('function', { query });
  checkTypes('boolean', { create });
  const isPool = pool === undefined || poolOptions(pool) !== undefined;
  check(isPool, 'pool must be a pool of mysql2, as createPool() returns it');
  checkConnection(connectionOf(connection), fields);
  checkNames({ group }, bytesMax.group);
  checkNames({ table }, bytesMax.table);
}

const fields: Readonly<Record<keyof MysqlConnection, ConnectionField>> = {
  ...{ host: 'string', port: 'number', database: 'string', user: 'string' },
  ...{ password: 'secret', ssl: 'tls' },
};

/**
 * Returns the parts of a connection string. An error does not show it, because it contains a password.
 * @throws LeadershipError `invalid-options`
 */
export function connectionOf(connection: MysqlOptions['connection'] = {}): MysqlConnection {
  if (typeof connection !== 'string') return connection;
  check(
    /^(mysql|mariadb):[/][/]([^?#%]|%[0-9a-fA-F]{2})*$/.test(connection) &&
      URL.canParse(connection),
    'connection must be mysql://USER:PASSWORD@HOST:PORT/DATABASE, without parameters: percent-encode user and password, and set ssl in an object',
  );
  const { hostname, port, pathname, username, password } = new URL(connection);
  const [host, database] = [hostname.replace(/^\[(.*)\]$/, '$1'), pathname.slice(1)];
  const texts = Object.entries({ host, database, user: username, password });
  const given = texts.filter(([, text]) => text !== '');
  return {
    ...Object.fromEntries(given.map(([name, text]) => [name, decoded(text)])),
    ...(port !== '' && { port: Number(port) }),
  };
}

/** The options of a pool that say how to reach the server. */
const reaching = [
  ...['host', 'port', 'localAddress', 'socketPath', 'stream', 'compress', 'database', 'user'],
  ...['password', 'password2', 'password3', 'passwordSha1', 'ssl', 'authPlugins', 'insecureAuth'],
  'enableCleartextPlugin',
];

/**
 * Returns how a pool connects; `undefined` if it is none of `mysql2`. The name in a certificate is
 * checked only if the pool checks it.
 */
export function poolOptions(pool: object): object | undefined {
  const { config, pool: inner } = pool as { config?: PoolConfig; pool?: { config?: PoolConfig } };
  const given = (config ?? inner?.config)?.connectionConfig;
  if (given === undefined) return undefined;
  const entries = reaching.map((name) => [name, Reflect.get(given, name)] as const);
  const { ssl, ...others } = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  return { ...others, ...(ssl && { ssl: { verifyIdentity: false, ...ssl } }) };
}

type PoolConfig = Readonly<{ connectionConfig?: object }>;
