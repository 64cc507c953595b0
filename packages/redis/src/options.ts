// The options of the Redis backend: their types and checks.
import type { SourceOptions } from '@leadership/core';
import {
  type ConnectionField,
  check,
  checkConnection,
  checkTypes,
  type LeadershipAddress,
  serverIn,
  type UrlParameters,
} from '@leadership/core/adapter';

/** The part of a client of `ioredis` that is used: `Redis` or `Cluster`. */
export interface IoredisClient {
  /** Tells a client of a Cluster from one of a server. */
  readonly isCluster: boolean;
  /** Creates a client with the same settings. */
  duplicate: unknown;
}

/** The part of a client of `redis` that is used: of a server, a Cluster or Sentinel. */
export interface NodeRedisClient {
  /** Whether the application has connected it. */
  readonly isOpen: boolean;
  /** Creates a client with the same settings. */
  duplicate: unknown;
}

/** Where the server is and who connects. */
export interface RedisConnection {
  /** The address of the primary. It must follow the primary in a fail-over. Default `127.0.0.1`. */
  readonly host?: string;
  /** The port of the server. Default 6379. */
  readonly port?: number;
  /** The number of the database. Default 0. */
  readonly db?: number;
  /** The name of the user. Default: the default user. */
  readonly username?: string;
  /**
   * The password, or a function that returns a current one for each new connection, such as a token
   * that expires. Default: none.
   */
  readonly password?: string | (() => string | Promise<string>);
  /**
   * TLS: `true`, options of `tls.connect` such as `ca`, or a function that returns current ones for
   * each new connection. Default: no TLS.
   */
  readonly tls?: boolean | object | (() => object | Promise<object>);
}

/** Options for {@link redisLeadership}. */
export interface RedisOptions extends SourceOptions {
  /** The name of the group. Its members compete for the same roles. */
  readonly group: string;
  /**
   * A client of the package `ioredis` or `redis`, for one server, a Cluster or Sentinel. The member
   * opens connections of its own with the same settings, so that a busy client cannot delay a lease.
   */
  readonly client?: IoredisClient | NodeRedisClient;
  /**
   * How to connect without a client: a connection string, or its parts. Needs the package `ioredis`.
   * Default: port 6379 of this host.
   */
  readonly connection?: string | RedisConnection;
  /**
   * The beginning of the names of the key and the channel, before the group's name. All members must use
   * the same. Default `leadership:`.
   */
  readonly prefix?: string;
  /**
   * The number of replicas that must have each write before it counts (`WAIT`). This makes a loss in
   * a fail-over less likely, and does not exclude it. Default 0.
   */
  readonly minReplicas?: number;
  /**
   * Whether members notify one another with `PUBLISH`, so that neither a hand-over nor the news of
   * the next leader waits for the next poll. Default `true`.
   */
  readonly notifications?: boolean;
}

/** The query parameters of a URL of this backend, in addition to the common ones. */
export const parameters: UrlParameters = {
  username: 'string',
  prefix: 'string',
  minReplicas: 'number',
  notifications: 'boolean',
};

/** The names of the options of this backend, in addition to those of every source. */
export const ownOptions: readonly (keyof RedisOptions)[] = [
  ...(['client', 'connection', 'prefix', 'minReplicas', 'notifications'] as const),
];

/**
 * Checks the options, without a connection to the server.
 * @throws LeadershipError `invalid-options`
 */
export function checkOptions(options: RedisOptions): void {
  const { group, client, connection, prefix = '', minReplicas = 0, notifications } = options;
  check(client === undefined || connection === undefined, 'client and connection are set: set one');
  check(
    client === undefined || isClient(client),
    'client must be a client of the package ioredis or redis; for Sentinel, redis 6 or ioredis is needed',
  );
  check(
    typeof connection !== 'string' || isAddress(connection),
    'connection must be a redis: or rediss: URL, HOST:PORT, or the path of a socket; percent-encode its user and password',
  );
  if (typeof connection !== 'string') checkConnection(connection, fields);
  check(
    Number.isInteger(minReplicas) && minReplicas >= 0,
    `minReplicas ${minReplicas} must be a number of replicas, from 0`,
  );
  checkTypes('boolean', { notifications });
  check(isText(group) && group !== '', `group ${JSON.stringify(group)} must be a name`);
  check(isText(prefix), `prefix ${JSON.stringify(prefix)} must be a text`);
}

const fields: Readonly<Record<keyof RedisConnection, ConnectionField>> = {
  ...{ host: 'string', port: 'number', db: 'number', username: 'string' },
  ...{ password: 'secret', tls: 'tls' },
};

/** Returns whether this is a client of `ioredis`, and not of `redis`. */
export function isIoredis(client: IoredisClient | NodeRedisClient): client is IoredisClient {
  return 'isCluster' in client;
}

function isClient(client: unknown): boolean {
  if (typeof client !== 'object' || client === null || !('duplicate' in client)) return false;
  return typeof client.duplicate === 'function' && ('isCluster' in client || 'isOpen' in client);
}

/**
 * Returns whether `ioredis` can parse this text. For any other text, `ioredis` would take the
 * scheme for a host name, or throw an error that contains the password.
 */
function isAddress(text: string): boolean {
  if (/^\/[^/]/.test(text)) return true;
  if (/%(?![\da-f]{2})/i.test(text)) return false;
  const [, scheme = 'redis:', rest = ''] = /^(rediss?:(?=\/\/))?(?:\/\/)?(.*)$/is.exec(text) ?? [];
  return !rest.includes('://') && URL.canParse(`${scheme}//${rest}`);
}

/**
 * Returns whether this is a text that UTF-8 can encode. Half a surrogate pair would be replaced
 * when it is sent, so that two groups could share one key.
 */
function isText(text: unknown): boolean {
  return typeof text === 'string' && !/\p{Surrogate}/u.test(text);
}

/**
 * Returns the connection that a URL names.
 * @throws LeadershipError `invalid-options` if it names several hosts
 */
export function connectionIn(address: LeadershipAddress): RedisConnection {
  const db = address.path.replace(/^\//, '');
  check(/^\d*$/.test(db), 'the path of a URL of Redis must be the number of a database');
  const { username } = address.parameters;
  return {
    ...serverIn(address, 'pass a client for a Cluster or Sentinel'),
    ...(db !== '' && { db: Number(db) }),
    ...(typeof username === 'string' && { username }),
    ...(address.scheme === 'rediss' && { tls: true }),
  };
}
