// Connects a member to Redis with the package `redis`: to one server, by Sentinel, or to a Cluster.
import type { EventEmitter } from 'node:events';
import { type Command, connected, lastErrorOf, type OpenLink } from './link.ts';
import type { NodeRedisClient } from './options.ts';

/** A request of several commands. The methods take the arguments of each kind of client. */
interface Batch {
  addCommand(...args: readonly unknown[]): Batch;
  execAsPipeline(): Promise<readonly unknown[]>;
}

/** The part of a client of `redis` that is used. */
interface Client extends Pick<EventEmitter, 'on'> {
  readonly options?: { readonly socket?: { readonly tls?: boolean } };
  connect(): Promise<unknown>;
  destroy(): unknown;
  sendCommand(...args: readonly unknown[]): Promise<unknown>;
  multi(): Batch;
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
  duplicate(overrides: object): Client;
}

/** Replies are texts, in the form of RESP 2. */
const replies = { RESP: 2, commandOptions: {}, clientSideCache: undefined, emitInvalidate: false };
/** A request is several commands. */
const queue = { commandsQueueMaxLength: undefined };

/** Opens connections like those of a client of the application. */
export function likeNodeRedis(given: NodeRedisClient, connectMs: number): OpenLink {
  const application = given as unknown as Client;
  const isCluster = 'slots' in given;
  // A client of a Cluster or of Sentinel has several connections, and renews them itself. A request
  // still ends with its link.
  const isSingle = !isCluster && !('getSentinelNode' in given);
  const socket = { reconnectStrategy: false, connectTimeout: connectMs };
  const overrides = {
    ...replies,
    ...queue,
    // Else connecting waits for all servers, also for one that has just failed.
    ...(isCluster && { minimizeConnections: true }),
    ...(isSingle && {
      disableOfflineQueue: true,
      disableClientInfo: true,
      maintNotifications: 'disabled',
      readonly: false,
    }),
  };
  const isSecure = application.options?.socket?.tls === true;
  /** Returns the arguments before a command: the key in a Cluster, and whether it only reads. */
  const routed = (key: string): readonly unknown[] =>
    isSingle ? [] : isCluster ? [key, false] : [false];
  return async (signal) => {
    // The client does not know a socket that is still connecting, and would leave it open.
    const closed = new AbortController();
    const sockets = { ...application.options?.socket, ...socket, signal: closed.signal };
    const client = application.duplicate({ ...overrides, ...(isSingle && { socket: sockets }) });
    const lastError = lastErrorOf(client);
    const close = (): void => {
      // A client that is closed already throws.
      void Promise.resolve()
        .then(() => client.destroy())
        .catch(() => undefined)
        .then(() => closed.abort());
    };
    const ended = new Promise<unknown>((resolve) => {
      const end = (): void => resolve(lastError() ?? new Error('the connection has ended'));
      for (const event of isSingle ? ['end', 'error'] : ['end']) client.on(event, end);
    });
    const connect = async (): Promise<void> => {
      await client.connect().catch((error: unknown) => {
        throw lastError() ?? error;
      });
      // A client of a Cluster or of Sentinel connects although it was closed meanwhile.
      if (signal.aborted) close();
    };
    await connected(connect, { close, isSecure }, signal);
    return {
      async send(key, commands) {
        const [only, ...others] = commands as readonly [Command, ...Command[]];
        if (others.length === 0) return [await client.sendCommand(...routed(key), only)];
        const batch = client.multi();
        for (const command of commands) batch.addCommand(...routed(key), command);
        return batch.execAsPipeline();
      },
      async subscribe(channel, notified) {
        await client.subscribe(channel, notified);
      },
      ended,
      close,
    };
  };
}
