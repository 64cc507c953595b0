// Connects a member to Redis with the package `ioredis`: to one server, by Sentinel, or to a
// Cluster.
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { loadPackage, supplied } from '@leadership/core/adapter';
import { isReply } from './errors.ts';
import { type Command, connected, type Link, lastErrorOf, type OpenLink } from './link.ts';
import type { IoredisClient, RedisConnection } from './options.ts';

type Replies = readonly (readonly [error: Error | null, reply: unknown])[];

/** A client of one server. */
interface Node {
  readonly stream?: Pick<Socket, 'destroy'>;
}

/** Options that say whether connections use TLS. */
interface Secured {
  readonly tls?: object;
}

/** The part of a client of `ioredis` that is used. */
interface Client extends Node, Pick<EventEmitter, 'on'> {
  readonly options?: Secured & { readonly redisOptions?: Secured };
  connect(): Promise<void>;
  disconnect(): void;
  /** The clients of the servers of a Cluster. */
  nodes?(): readonly Node[];
  pipeline(commands: readonly Command[]): { exec(): Promise<Replies | null> };
  subscribe(channel: string): Promise<unknown>;
}

interface Duplicable {
  readonly options: { readonly redisOptions?: object };
  duplicate(...overrides: readonly unknown[]): Client;
}

/** Core repeats requests, with fresh conditions, and connects again: the client does neither. */
const never = (): null => null;
const own = {
  lazyConnect: true,
  retryStrategy: never,
  sentinelRetryStrategy: never,
  reconnectOnError: null,
  autoResubscribe: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  enableAutoPipelining: false,
  // The member checks the server itself, and needs fewer rights for it.
  enableReadyCheck: false,
  disableClientInfo: true,
  // Members with other clients use the same key.
  keyPrefix: '',
  role: 'master',
  readOnly: false,
  monitor: false,
  protocol: 2,
  stringNumbers: false,
  commandTimeout: undefined,
  // The timer would keep the process, also after the connection has been closed.
  disconnectTimeout: 0,
};

/** Disconnecting does not close a connection to Sentinel that waits for a reply. */
function limited(connectMs: number): object {
  return { ...own, connectTimeout: connectMs, sentinelCommandTimeout: connectMs };
}

/** Opens connections like those of a client of the application. */
export function likeIoredis(client: IoredisClient, connectMs: number): OpenLink {
  const { options, duplicate } = client as unknown as Duplicable;
  const overrides = limited(connectMs);
  return (signal) => {
    if (!client.isCluster) return opened(duplicate.call(client, overrides), signal);
    const cluster = {
      lazyConnect: true,
      clusterRetryStrategy: never,
      enableReadyCheck: false,
      scaleReads: 'master',
      keyPrefix: '',
      enableAutoPipelining: false,
      redisOptions: { ...options.redisOptions, ...overrides },
      slotsRefreshTimeout: connectMs,
    };
    return opened(duplicate.call(client, [], cluster), signal);
  };
}

/** Opens connections to an address. */
export function byAddress(connection: string | RedisConnection, connectMs: number): OpenLink {
  return async (signal) => {
    const Redis = await loadClass();
    const overrides = limited(connectMs);
    if (typeof connection === 'string') return opened(new Redis(connection, overrides), signal);
    const { tls, password, ...address } = connection;
    const secrets = {
      ...(password !== undefined && {
        password: await supplied('connection.password', 'string', password, signal),
      }),
      ...(tls && {
        tls: tls === true ? {} : await supplied('connection.tls', 'object', tls, signal),
      }),
    };
    return opened(new Redis({ ...address, ...secrets, ...overrides }), signal);
  };
}

async function opened(client: Client, signal: AbortSignal): Promise<Link> {
  const close = (): void => disconnect(client);
  const lastError = lastErrorOf(client);
  const ended = new Promise<unknown>((resolve) =>
    client.on('end', () => resolve(lastError() ?? new Error('the connection has ended'))),
  );
  const connect = (): Promise<void> =>
    client.connect().catch((error: unknown) => {
      throw lastError() ?? error;
    });
  const { tls, redisOptions } = client.options ?? {};
  const isSecure = Boolean(tls ?? redisOptions?.tls);
  await connected(connect, { close, isSecure }, signal);
  return {
    async send(_, commands) {
      // A pipeline goes to the server of its first key as a whole.
      const replies = await client.pipeline(commands.map(lowerCase)).exec();
      const refused = lastError();
      if (isReply(refused)) {
        // The server has refused SELECT, and the client goes on in the first database.
        close();
        throw refused;
      }
      return (replies ?? []).map(([error, reply]) => {
        if (error) throw error;
        return reply;
      });
    },
    async subscribe(channel, notified) {
      client.on('message', (_: string, message: string) => notified(message));
      await client.subscribe(channel);
    },
    ended,
    close,
  };
}

/** Closes the connections. The client itself would still wait for replies. */
function disconnect(client: Client): void {
  const nodes = client.nodes?.() ?? [client];
  client.disconnect();
  for (const { stream } of nodes) stream?.destroy();
}

/** A pipeline calls methods by their names. */
function lowerCase([name, ...args]: Command): Command {
  return [name.toLowerCase(), ...args];
}

type ClientClass = new (address: string | object, options?: object) => Client;

async function loadClass(): Promise<ClientClass> {
  const alternative = 'pass a client of the package redis as client';
  const { Redis } = await loadPackage('ioredis', () => import('ioredis'), alternative);
  return Redis as unknown as ClientClass;
}
