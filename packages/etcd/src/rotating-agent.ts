// Opens the TLS connections of a member to etcd, whose certificates may change while it runs.
import { type AgentOptions, Agent as HttpsAgent, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { type TimeoutOptions, withTimeout } from '@leadership/core/adapter';
import type { EtcdTls } from './options.ts';

/** Returns the current certificates. */
export type LoadTls = (signal: AbortSignal) => Promise<EtcdTls>;

/** An agent that asks for the certificates of each new connection. */
export class RotatingAgent extends HttpsAgent {
  readonly #load: LoadTls;
  readonly #limits: TimeoutOptions;

  /** Connections that were begun end when the signal of the limits aborts. */
  constructor(settings: AgentOptions, load: LoadTls, limits: TimeoutOptions) {
    // A session that is resumed would stand for the certificate of an earlier connection.
    super({ ...settings, maxCachedSessions: 0 });
    this.#load = load;
    this.#limits = limits;
  }

  override createConnection(
    options: RequestOptions,
    created?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const connect = async (): Promise<Duplex | null | undefined> => {
      const tls = await withTimeout(this.#limits, this.#load);
      return super.createConnection({ ...options, ...(tls as object) });
    };
    // Node passes no socket with an error.
    connect().then(
      (socket) => created?.(null, socket as Duplex),
      (error: Error) => created?.(error, undefined as never),
    );
  }
}
