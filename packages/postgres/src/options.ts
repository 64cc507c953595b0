// The options of the Postgres backend: their types and checks.
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
import type { ListenTo, SendQuery } from './connections.ts';

/**
 * Where the server is and who connects. What is left out comes from the environment (`PGHOST`,
 * `PGUSER`, `PGPASSWORD`, …), as for every client of Postgres.
 */
export interface PostgresConnection {
  /** The address of the primary. It must follow the primary in a fail-over. Default `PGHOST`. */
  readonly host?: string;
  /** The port of the server. Default `PGPORT`, or 5432. */
  readonly port?: number;
  /** The name of the database. Default `PGDATABASE`. */
  readonly database?: string;
  /** The name of the user. Default `PGUSER`. */
  readonly user?: string;
  /**
   * The password, or a function that returns a current one for each new connection, such as a token
   * that expires. Default `PGPASSWORD`.
   */
  readonly password?: string | (() => string | Promise<string>);
  /**
   * TLS: `true`, options of `tls.connect` such as `ca`, or a function that returns current ones for
   * each new connection. Default `PGSSLMODE`.
   */
  readonly ssl?: boolean | object | (() => object | Promise<object>);
}

/** The part of a `Pool` of `pg` that is used: how it connects. */
export interface PostgresPool {
  /** The options that it was created with. */
  readonly options: object;
}

/** Options for {@link postgresLeadership}. */
export interface PostgresOptions extends SourceOptions {
  /** The name of the group. Its members compete for the same roles. */
  readonly group: string;
  /**
   * How to connect: a connection string, or its parts. Needs the package `pg`. Default: the
   * environment.
   */
  readonly connection?: string | PostgresConnection;
  /**
   * A `Pool` of `pg`, whose options and class are used. The member opens connections of its own, so
   * that a busy pool cannot delay a lease.
   */
  readonly pool?: PostgresPool;
  /**
   * Sends a statement with any driver, instead of connections of this package. The application is
   * then responsible that a connection is free within T/3.
   */
  readonly query?: SendQuery;
  /** With `query`: how to listen to notifications. Default: members only poll. */
  readonly listen?: ListenTo;
  /** The schema of the table. All members must use the same. Default `public`. */
  readonly schema?: string;
  /** The name of the table. All members must use the same. Default `leadership`. */
  readonly table?: string;
  /** Whether a member creates a missing table. Default `true`. */
  readonly create?: boolean;
  /**
   * Whether members notify one another with `NOTIFY`, so that neither a hand-over nor the news of
   * the next leader waits for the next poll. Set `false` for a connection pooler in transaction
   * mode. Default `true`.
   */
  readonly notifications?: boolean;
}

/** The query parameters of a URL. */
export const parameters: UrlParameters = {
  user: 'string',
  schema: 'string',
  table: 'string',
  create: 'boolean',
  notifications: 'boolean',
};

/** The options of this backend beside those of every source. */
export const ownOptions: readonly (keyof PostgresOptions)[] = [
  ...(['connection', 'pool', 'query', 'listen'] as const),
  ...(['schema', 'table', 'create', 'notifications'] as const),
];

/**
 * Checks the options as far as that needs no network.
 * @throws LeadershipError `invalid-options`
 */
export function checkOptions(options: PostgresOptions): void {
  const { group, connection, pool, query, listen, schema, table, create, notifications } = options;
  const drivers = namesGiven({ connection, pool, query });
  check(drivers.length < 2, `${drivers.join(' and ')} are set: set one of them`);
  check(listen === undefined || query !== undefined, 'listen is set without query');
  checkTypes('function', { query, listen });
  checkTypes('boolean', { create, notifications });
  checkTypes('object', { 'pool.options': pool?.options });
  if (typeof connection !== 'string') checkConnection(connection, fields);
  checkNames({ group });
  checkNames({ schema, table }, nameBytesMax);
}

const fields: Readonly<Record<keyof PostgresConnection, ConnectionField>> = {
  ...{ host: 'string', port: 'number', database: 'string', user: 'string' },
  ...{ password: 'secret', ssl: 'tls' },
};

/** Longer names are cut by Postgres. */
const nameBytesMax = 63;
