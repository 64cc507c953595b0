// The port to a client library of Redis: `ioredis` and `redis` implement it.
import type { EventEmitter } from 'node:events';
import { type Closable, named, Once } from '@leadership/core/adapter';

/** A command and its arguments. */
export type Command = readonly [name: string, ...args: string[]];

/** One connection to the server, or to all servers of a Cluster. It never connects again. */
export interface Link extends Closable {
  /**
   * Sends commands in one request to the server that holds `key`, over one connection. Resolves
   * with their replies; rejects if one of them is an error.
   */
  send(key: string, commands: readonly Command[]): Promise<readonly unknown[]>;
  /** Calls `notified` for each message of the channel. Resolves once the server sends them. */
  subscribe(channel: string, notified: (message: string) => void): Promise<void>;
}

/** Opens a connection. Closes it if the signal aborts meanwhile. */
export type OpenLink = (signal: AbortSignal) => Promise<Link>;

/** Notes the last error of a client: its promises often reject without the reason. */
export function lastErrorOf(client: Pick<EventEmitter, 'on'>): () => unknown {
  let last: unknown;
  client.on('error', (error: unknown) => {
    last = error;
  });
  return () => last;
}

/**
 * Connects a client, which `close` closes. Closes it if connecting fails, or the signal aborts
 * meanwhile or has aborted before: an unused client would keep the process alive.
 */
export async function connected(
  connect: () => Promise<unknown>,
  { close, isSecure }: { readonly close: () => void; readonly isSecure: boolean },
  signal: AbortSignal,
): Promise<void> {
  const ending = new Once();
  const end = (): void => void ending.run(async () => close());
  signal.addEventListener('abort', end, { once: true });
  try {
    signal.throwIfAborted();
    // A server without TLS waits for the rest of a command, and never answers.
    const what = 'a connection by TLS: does the server offer it at this port?';
    await (isSecure ? named(what, connect(), signal) : connect());
    signal.throwIfAborted();
  } catch (error) {
    end();
    throw error;
  } finally {
    signal.removeEventListener('abort', end);
  }
}
