import type { EventEmitter } from 'node:events';
import { raceSignal, type TimeoutOptions, withTimeout } from '@leadership/core/internal';
import { keepsLink } from './errors.ts';

/** A command and its arguments. */
export type Command = readonly [name: string, ...args: string[]];

/** One connection to the server, or to all servers of a Cluster. It never connects again. */
export interface Link {
  /**
   * Sends commands in one request to the server that holds `key`, over one connection. Resolves
   * with their replies; rejects if one of them is an error.
   */
  send(key: string, commands: readonly Command[]): Promise<readonly unknown[]>;
  /** Calls `notified` for each message of the channel. Resolves once the server sends them. */
  subscribe(channel: string, notified: (message: string) => void): Promise<void>;
  /** Resolves with the reason when the connection has ended. */
  readonly ended: Promise<unknown>;
  /** Closes the connection at once. Requests without a reply reject. */
  close(): void;
}

/** Opens a connection. Closes it if the signal aborts meanwhile. */
export type OpenLink = (signal: AbortSignal) => Promise<Link>;

/** A connection that is opened on demand, and replaced after it has failed. */
export class Line {
  readonly #open: () => Promise<Link>;
  readonly #over = new AbortController();
  #link: Promise<Link> | undefined;

  constructor(open: OpenLink, limits: Omit<TimeoutOptions, 'signal'>) {
    // Some clients never stop trying to reach a server that a fail-over has replaced.
    const { signal } = this.#over;
    this.#open = () => withTimeout({ ...limits, signal }, open);
  }

  /**
   * Uses the connection. If the signal aborts meanwhile, the connection is closed, so that a server
   * that hangs does not execute the request much later. A connection that is still being opened is
   * kept for the next request, or a slow server would never serve one.
   */
  async use<T>(signal: AbortSignal, use: (link: Link) => Promise<T>): Promise<T> {
    const opened = this.#opened();
    const link = await raceSignal(opened, signal);
    const drop = (): void => this.#drop(opened);
    signal.addEventListener('abort', drop, { once: true });
    try {
      return await use(link);
    } catch (error) {
      if (!keepsLink(error)) drop();
      throw error;
    } finally {
      signal.removeEventListener('abort', drop);
    }
  }

  /** Closes the connection. It is not opened again. */
  close(): void {
    this.#over.abort();
    if (this.#link !== undefined) this.#drop(this.#link);
  }

  #opened(): Promise<Link> {
    if (this.#link !== undefined) return this.#link;
    const opened = this.#open();
    this.#link = opened;
    const forget = (): void => this.#drop(opened);
    opened.then((link) => {
      void link.ended.then(forget);
    }, forget);
    return opened;
  }

  #drop(opened: Promise<Link>): void {
    if (this.#link === opened) this.#link = undefined;
    opened.then(
      (link) => link.close(),
      () => undefined,
    );
  }
}

/** Notes the last error of a client: its promises often reject without the reason. */
export function lastErrorOf(client: Pick<EventEmitter, 'on'>): () => unknown {
  let last: unknown;
  client.on('error', (error: unknown) => {
    last = error;
  });
  return () => last;
}
