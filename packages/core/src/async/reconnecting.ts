// Keeps one connection to a server for an adapter.
import { Shared } from './shared.ts';
import { waitedFor, waitFor } from './waiting.ts';
import { type TimeoutOptions, withTimeout } from './with-timeout.ts';

/** A connection that never connects again. */
export interface Closable {
  /** Resolves with the reason when the connection has ended. */
  readonly ended: Promise<unknown>;
  /** Closes the connection at once. Requests without a reply reject. */
  close(): void;
}

/** A connection that is opened on demand, and replaced after it has failed. */
export class Reconnecting<Link extends Closable> {
  readonly #link: Shared<Link>;
  readonly #keeps: (error: unknown) => boolean;
  readonly #over = new AbortController();
  /** The signal of the connection that is being opened, or was opened last. */
  #opening: AbortSignal | undefined;
  /** Why connections were closed while other requests still used them. */
  readonly #givenUp = new WeakMap<Link, unknown>();

  /**
   * `open` closes what it has opened if its signal aborts meanwhile. `keeps` returns whether the
   * connection can go on after this error of a request.
   */
  constructor(
    open: (signal: AbortSignal) => Promise<Link>,
    keeps: (error: unknown) => boolean,
    limits: Omit<TimeoutOptions, 'signal'>,
  ) {
    this.#keeps = keeps;
    // Some clients never stop trying to reach a server that a fail-over has replaced.
    const { signal } = this.#over;
    const opening = (until: AbortSignal): Promise<Link> => {
      this.#opening = until;
      return open(until);
    };
    this.#link = new Shared(() => this.#opened(withTimeout({ ...limits, signal }, opening)));
  }

  /**
   * Uses the connection. If the signal aborts meanwhile, the connection is closed, so that a server
   * that hangs does not execute the request much later. A connection that is still being opened is
   * kept for the next request, or a slow server would never serve one.
   */
  async use<T>(signal: AbortSignal, use: (link: Link) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const opened = this.#link.get();
    const link = await waitFor(() => this.#waitedFor(), opened, signal);
    const giveUp = (): void => {
      this.#givenUp.set(link, signal.reason);
      this.#drop(opened);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      return await use(link);
    } catch (error) {
      // The client only reports that its connection was closed.
      const cause = this.#givenUp.has(link) ? this.#givenUp.get(link) : error;
      if (!this.#keeps(cause)) this.#drop(opened);
      throw cause;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  /** Closes the connection. It is not opened again. */
  close(): void {
    this.#over.abort();
    if (this.#link.current !== undefined) this.#drop(this.#link.current);
  }

  /** Returns what opening the connection waits for, as far as the client says. */
  #waitedFor(): string | undefined {
    return this.#opening && waitedFor(this.#opening);
  }

  #opened(opening: Promise<Link>): Promise<Link> {
    opening.then(
      ({ ended }) => ended.then(() => this.#drop(opening)),
      () => undefined,
    );
    return opening;
  }

  /** Closes a connection once, whatever the number of requests that gave it up. */
  #drop(opened: Promise<Link>): void {
    if (!this.#link.drop(opened)) return;
    opened.then(
      (link) => link.close(),
      () => undefined,
    );
  }
}
