// One connection to a server of NATS, and requests on it.
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { readFile } from 'node:fs/promises';
import { isIP, type Socket } from 'node:net';
import { type Closable, misconfigured, ReplyError } from '@leadership/core/adapter';
import {
  type Authenticator,
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  type MsgHdrs,
  type NatsConnection,
  nkeyAuthenticator,
} from '@nats-io/transport-node';
import { natsError } from './errors.ts';
import { type NatsOptions, own } from './options.ts';

/** How to connect. The servers are in the order in which they are tried. */
export interface ConnectionSettings extends NatsOptions {
  /** The limit of one attempt, and of a request. Milliseconds. */
  readonly limitMs: number;
}

/** A reply of JetStream may be an error. */
interface Reply {
  readonly error?: { readonly err_code?: number; readonly description?: string };
}

/** A connection that is not opened again: a replica lives as long as it. */
export interface Connection extends Closable {
  readonly client: NatsConnection;
  /** Sends a request, and resolves with the reply. Rejects with a {@link ReplyError} for one of an error. */
  ask<T>(subject: string, body?: object | string, headers?: MsgHdrs): Promise<T>;
}

/** Connects to the first server that accepts it. */
export async function connectionTo(
  settings: ConnectionSettings,
  signal: AbortSignal,
): Promise<Connection> {
  const { limitMs, inboxPrefix } = settings;
  const client = await firstOf(settings.servers, signal, {
    ...(await loginOf(settings, signal)),
    ...(inboxPrefix && { inboxPrefix }),
    name: `leadership ${settings.group}`,
    timeout: limitMs,
    // The client would send later what is given up now, and on another connection.
    reconnect: false,
    ignoreClusterUpdates: true,
    noAsyncTraces: true,
  });
  const close = (): void => void client.close().catch(() => undefined);
  if (signal.aborted) close();
  return {
    client,
    ended: client.closed(),
    close,
    async ask<T>(subject: string, body: object | string = '', headers?: MsgHdrs) {
      const payload = typeof body === 'string' ? body : JSON.stringify(body);
      const options = { timeout: limitMs, ...(headers && { headers }) };
      const { error, ...reply } = (await client.request(subject, payload, options)).json<Reply>();
      if (error === undefined) return reply as T;
      throw new ReplyError(error.err_code ?? 0, error.description ?? 'an error without a text');
    },
  };
}

/** The sockets of the attempt that is under way. */
const opening = new AsyncLocalStorage<Set<Socket>>();
subscribe('net.client.socket', (message) => {
  opening.getStore()?.add((message as { readonly socket: Socket }).socket);
});

/**
 * Connects. The client forgets the socket of a server that accepts connections and answers nothing: it
 * would stay open, and keep the process from ending.
 */
async function attempted(options: ConnectionOptions): Promise<NatsConnection> {
  const sockets = new Set<Socket>();
  try {
    return await opening.run(sockets, () => connect(options));
  } catch (error) {
    for (const socket of sockets) socket.destroy();
    throw error;
  }
}

/** Connects to one server after the other. A request that one server refuses is refused by the others of its cluster too. */
async function firstOf(
  servers: readonly string[],
  signal: AbortSignal,
  { tls, ...options }: ConnectionOptions,
): Promise<NatsConnection> {
  let failure: unknown;
  for (const server of servers) {
    signal.throwIfAborted();
    const address = /^\[?([^[\]]*?)\]?(:\d+)?$/.exec(server)?.[1] ?? '';
    // The client would ask Node whether the certificate of an address names "localhost".
    const named = tls && { tls: isIP(address) === 0 ? tls : { host: address, ...tls } };
    try {
      return await attempted({ ...options, ...named, servers: [server] });
    } catch (error) {
      failure = error;
      if (natsError(error, server).code !== 'unreachable') break;
    }
  }
  throw failure;
}

/** Returns who connects, and with which certificates. */
async function loginOf(
  settings: ConnectionSettings,
  signal: AbortSignal,
): Promise<ConnectionOptions> {
  const { credentialsFile: file } = settings;
  const { user, password: pass, token, tls, ...given } = await own.current(settings, signal);
  const credentials = file === undefined ? given.credentials : await contentOf(file);
  const authenticator = credentials && authenticatorOf(credentials);
  return { user, pass, token, tls, authenticator } as ConnectionOptions;
}

/** A file of credentials has the token of the user and its seed; a seed alone begins with "SU". */
function authenticatorOf(credentials: string): Authenticator {
  const text = credentials.trim();
  // The client finds the seed in a file only if its last line has an end.
  const bytes = new TextEncoder().encode(`${text}\n`);
  return text.startsWith('SU') ? nkeyAuthenticator(bytes.slice(0, -1)) : credsAuthenticator(bytes);
}

async function contentOf(file: string): Promise<string> {
  return await readFile(file, 'utf8').catch((cause: unknown) => {
    throw misconfigured(`credentialsFile cannot be read: ${String(cause)}`, { cause });
  });
}
