// Sends the requests of a member to the API server of Kubernetes, with Node's own `https`.

import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { text as textIn } from 'node:stream/consumers';
import {
  type Host,
  jsonFields,
  linesIn,
  misconfigured,
  ReplyError,
  sleep,
  waitFor,
} from '@leadership/core/adapter';
import { type Access, accessOf, type FindAccess } from './access.ts';
import type { LeaseObject } from './lease.ts';
import type { Connection } from './options.ts';

/** A reply as it was parsed. */
type Reply = Readonly<Record<string, unknown>>;

/** An event of a watch, which begins with `OPENED`, without an object. */
export interface WatchEvent {
  readonly type: string;
  readonly object?: LeaseObject | undefined;
}

/** One request. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

/** The API server, as one member reaches it. */
export interface Api {
  /** Returns the namespace of the objects. */
  namespace(signal: AbortSignal): Promise<string>;
  /**
   * Sends one request. If the signal aborts, its connection is closed, not only the wait.
   * @throws ReplyError if the reply is an error
   */
  send(request: ApiRequest, signal: AbortSignal): Promise<Reply>;
  /**
   * Yields `OPENED` once the server answers, and then each event, until the server ends the watch, as it
   * does after some time. Throws if the connection fails, the signal aborts, or an event is an error.
   */
  watch(path: string, signal: AbortSignal): AsyncIterable<WatchEvent>;
  /** Closes all connections. */
  close(): void;
}

/**
 * The connections of a member: of its watch, and of the changes of an exchange. After this time without
 * traffic the kernel checks whether the server is still there.
 */
const kept = { keepAlive: true, keepAliveMsecs: 5000, maxSockets: 12 };
/** The pause that a server asks for if it names none, and the longest that is kept. Seconds. */
const [pauseSeconds, pauseSecondsMax] = [1, 60];
/** The status of a request that the server has not begun, because too many have arrived. */
const tooMany = 429;

/** Creates the connections of a member. Connects on demand. */
export function apiOf(connection: Connection, { clock }: Pick<Host, 'clock'>): Api {
  return new HttpsApi(connection, clock);
}

class HttpsApi implements Api {
  readonly #namespace: string | undefined;
  readonly #access: FindAccess;
  readonly #clock: Host['clock'];
  readonly #agents = { 'http:': new HttpAgent(kept), 'https:': new HttpsAgent(kept) };
  readonly #closed = new AbortController();
  /** Settles when the server receives requests again, of which it had too many. */
  #pause: Promise<void> | undefined;

  constructor(connection: Connection, clock: Host['clock']) {
    this.#namespace = connection.namespace;
    this.#access = accessOf(connection);
    this.#clock = clock;
  }

  async namespace(signal: AbortSignal): Promise<string> {
    const namespace = this.#namespace ?? (await this.#access(signal)).namespace;
    if (namespace === undefined)
      throw misconfigured(
        'no namespace is known outside of a pod: name it, as in kubernetes:NAMESPACE',
      );
    return namespace;
  }

  async send(request: ApiRequest, signal: AbortSignal): Promise<Reply> {
    const response = await this.#answered(request, signal);
    const text = await textIn(response);
    const reply = jsonFields(text);
    if (reply === undefined)
      throw new ReplyError(`http-${response.statusCode}`, `no JSON: ${text}`);
    return reply;
  }

  async *watch(path: string, signal: AbortSignal): AsyncGenerator<WatchEvent> {
    const response = await this.#answered({ method: 'GET', path }, signal);
    yield { type: 'OPENED' };
    response.setEncoding('utf8');
    for await (const line of linesIn(response)) yield eventIn(line);
  }

  close(): void {
    this.#closed.abort();
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  /**
   * Resolves with a response that is not an error. A request that the server has refused because it has too
   * many is sent again when the server says: it has not begun it.
   */
  async #answered(request: ApiRequest, signal: AbortSignal): Promise<IncomingMessage> {
    for (;;) {
      while (this.#pause !== undefined) await waitFor(busy, this.#pause, signal);
      const response = await this.#sent(request, await this.#access(signal), signal);
      const { statusCode: status = 0, headers } = response;
      if (status >= 200 && status < 300) return response;
      const text = await textIn(response);
      const message = jsonFields(text)?.['message'];
      if (status !== tooMany) throw new ReplyError(`http-${status}`, String(message ?? text));
      this.#rest(Number(headers['retry-after'] ?? pauseSeconds));
    }
  }

  #rest(seconds: number): void {
    const ms = 1000 * Math.min(Number.isNaN(seconds) ? pauseSeconds : seconds, pauseSecondsMax);
    const pause = sleep(this.#clock, ms, this.#closed.signal).then(() => {
      if (this.#pause === pause) this.#pause = undefined;
    });
    this.#pause = pause;
  }

  #sent(
    { method, path, body }: ApiRequest,
    { server, tls, token }: Access,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    this.#closed.signal.throwIfAborted();
    const { protocol, pathname, origin } = new URL(server);
    const isTls = protocol === 'https:';
    const text = body && JSON.stringify(body);
    // Node opens a new connection where a certificate is another one.
    const options = {
      ...(tls as object),
      method,
      signal,
      agent: this.#agents[isTls ? 'https:' : 'http:'],
      headers: {
        Accept: 'application/json',
        ...(text && {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(text),
        }),
        ...(token && { Authorization: `Bearer ${token}` }),
      },
    };
    const url = new URL(pathname.replace(/\/$/, '') + path, origin);
    return new Promise((resolve, reject) => {
      const sent = (isTls ? httpsRequest : httpRequest)(url, options, resolve);
      sent.on('error', reject).end(text);
    });
  }
}

const busy = 'the API server, which has too many requests (429) and asks for a pause';

/**
 * Parses an event of a watch.
 * @throws ReplyError if it is an error
 */
function eventIn(line: string): WatchEvent {
  const { type, object } = (jsonFields(line) ?? {}) as Partial<WatchEvent> & { object?: Reply };
  const { code, message, metadata } = object ?? {};
  if (type !== undefined && type !== 'ERROR' && metadata !== undefined) return { type, object };
  throw new ReplyError(`http-${code}`, String(message ?? `no event: ${line}`));
}
