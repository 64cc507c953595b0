// Sends the requests of a member to the JSON gateway of an etcd cluster: to one server, and to the
// next one if it fails.
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { text as textIn } from 'node:stream/consumers';
import {
  type Clock,
  type Host,
  jsonFields,
  linesIn,
  openingMsOf,
  ReplyError,
  sleep,
  supplied,
} from '@leadership/core/adapter';
import { Authentication } from './authentication.ts';
import { isTokenOutdated, mayAskAnother, OtherCluster } from './errors.ts';
import { type EtcdOptions, originsOf } from './options.ts';
import { RotatingAgent } from './rotating-agent.ts';

/** The reply of a server, as it was parsed. */
export type Reply = Readonly<Record<string, unknown>>;

/**
 * The cluster that a request is for. Servers that were restored have closed their connections, so it is
 * sent over one that this cluster has answered.
 */
export interface KnownCluster {
  readonly id: string;
  /** A range that the user may read, to ask which cluster a new connection leads to. */
  readonly range: object;
}

/** A cluster of etcd, as one member reaches it. */
export interface Gateway {
  /**
   * Sends one request, a `GET` if it has no body. If the signal aborts, its connection is closed, not
   * only the wait. `only`: the cluster that may receive it.
   */
  call(
    path: string,
    body: object | undefined,
    signal: AbortSignal,
    only?: KnownCluster,
  ): Promise<Reply>;
  /**
   * Sends one request, and yields each message of the reply until the signal aborts. Throws if the
   * server, or the connection, ends it before.
   */
  stream(path: string, body: object, signal: AbortSignal): AsyncIterable<Reply>;
  /**
   * Returns for how long the current server has run, as one of this cluster; `undefined` if it does not
   * say. Milliseconds.
   */
  ageMs(only: KnownCluster, signal: AbortSignal): Promise<number | undefined>;
  /** Closes all connections. */
  close(): void;
}

/** The options of the connections. */
export type GatewayOptions = Omit<EtcdOptions, 'group'> & { readonly thresholdMs: number };

/**
 * Time without an answer until the request also goes to the next server. In T: half of the limit
 * of a request, so that a server that hangs does not use up all of it.
 */
const slowShare = 1 / 8;
/** The connections of a member to one server: of its watch, of a request, and of some that hang. */
const socketsMax = 16;
/** After this time without traffic the kernel checks whether the server is still there. Ms. */
const keepAliveMs = 5000;

/** Creates the connections of a member. Connects on demand. */
export function httpGateway(
  options: GatewayOptions,
  host: Pick<Host, 'clock' | 'random'>,
): Gateway {
  return new HttpGateway(options, host);
}

class HttpGateway implements Gateway {
  readonly #origins: readonly string[];
  readonly #agent: HttpAgent;
  readonly #request: typeof httpRequest;
  readonly #authentication: Authentication;
  readonly #clock: Clock;
  readonly #slowMs: number;
  /** The origin and the cluster that have answered over a connection. */
  readonly #places = new WeakMap<object, string>();
  #origin: string;
  readonly #closed = new AbortController();
  /** Aborts when the origin is no longer used, so that streams move to the next one as well. */
  #left = new AbortController();

  constructor(options: GatewayOptions, { clock, random }: Pick<Host, 'clock' | 'random'>) {
    const { tls, thresholdMs } = options;
    this.#slowMs = slowShare * thresholdMs;
    this.#clock = clock;
    const settings = { keepAlive: true, keepAliveMsecs: keepAliveMs, maxSockets: socketsMax };
    this.#agent =
      typeof tls === 'function'
        ? new RotatingAgent(settings, (signal) => supplied('tls', 'object', tls, signal), {
            clock,
            limitMs: openingMsOf(thresholdMs),
            signal: this.#closed.signal,
          })
        : tls
          ? new HttpsAgent({ ...settings, ...(tls === true ? {} : (tls as object)) })
          : new HttpAgent(settings);
    this.#request = tls ? httpsRequest : httpRequest;
    this.#origins = originsOf(options);
    // Members start at different servers, so that each serves its share.
    this.#origin = this.#origins[Math.floor(random() * this.#origins.length)] ?? '';
    this.#authentication = new Authentication({
      ...options,
      clock,
      random,
      send: (login, signal) => this.#login(login, signal),
    });
  }

  async call(
    path: string,
    body: object | undefined,
    signal: AbortSignal,
    only?: KnownCluster,
  ): Promise<Reply> {
    return this.#answered({ path, body, signal, only }, (response, origin) =>
      this.#replyIn(response, origin),
    );
  }

  async ageMs(only: KnownCluster, signal: AbortSignal): Promise<number | undefined> {
    const request = { path: '/metrics', body: undefined, signal, only };
    try {
      return await this.#answered(request, async (response) => {
        const [, began] = /^process_start_time_seconds (\S+)$/m.exec(await textIn(response)) ?? [];
        // Both are of the clock of the server.
        const ageMs = Date.parse(response.headers.date ?? '') - Number(began) * 1000;
        return Number.isNaN(ageMs) ? undefined : ageMs;
      });
    } catch (error) {
      if (error instanceof ReplyError || error instanceof OtherCluster) return undefined;
      throw error;
    }
  }

  async *stream(path: string, body: object, signal: AbortSignal): AsyncGenerator<Reply> {
    await this.#authenticated(signal);
    const left = this.#left.signal;
    const until = AbortSignal.any([signal, left]);
    try {
      const request = { path, body, signal: until };
      const response = await this.#ask(request, async (opened) => opened);
      response.setEncoding('utf8');
      for await (const line of linesIn(response)) yield replyIn(line);
    } catch (error) {
      // Node reports the abort, and not that another request has failed.
      throw left.aborted && !signal.aborted ? left.reason : error;
    }
    throw new Error('the server has ended the stream');
  }

  close(): void {
    this.#closed.abort();
    this.#authentication.close();
    this.#left.abort();
    this.#agent.destroy();
  }

  /**
   * Asks the next server as well if the first one is slow: it may hang. The first answer counts. A
   * change may then be sent twice; at most one has an effect, and the other one finds its text.
   */
  async #answered<T>(request: Request, use: Use<T>): Promise<T> {
    const { signal } = request;
    await this.#authenticated(signal);
    if (this.#origins.length === 1) return this.#ask(request, use);
    const origin = this.#origin;
    const first = new AbortController();
    const second = new AbortController();
    const send = (over: AbortController): Promise<T> =>
      this.#ask({ ...request, signal: AbortSignal.any([signal, over.signal]) }, use);
    const one = send(first);
    if (!(await this.#isSlow(one))) return one;
    this.#leave(origin, new Error(`no answer within ${Math.round(this.#slowMs)} ms`));
    const other = send(second);
    void one.then(() => second.abort()).catch(() => undefined);
    void other.then(() => first.abort()).catch(() => undefined);
    return Promise.any([one, other]).catch(() => one);
  }

  /**
   * Sends a request to one server after the other until one answers. The last try repeats the first
   * one: a server may have closed the connection while it was idle.
   */
  async #ask<T>(request: Request, use: Use<T>): Promise<T> {
    const { signal } = request;
    signal.throwIfAborted();
    for (let left = this.#origins.length; ; left -= 1) {
      const origin = this.#origin;
      let token: string | undefined;
      try {
        token = await this.#authentication.current(signal);
        const sent = { ...request, token };
        await this.#connectTo(origin, sent);
        return await use(await this.#send(origin, sent), origin);
      } catch (error) {
        const isRepeated = await this.#recovers(error, origin, token);
        if (isRepeated && left > 0 && !signal.aborted) continue;
        throw isTokenOutdated(error) ? this.#authentication.refused(error) : error;
      }
    }
  }

  /**
   * Waits for the token before the time of a request counts: a server that hashes a password does
   * not hang. The request itself reports an error, or asks another server.
   */
  async #authenticated(signal: AbortSignal): Promise<void> {
    await this.#authentication.current(signal).catch(() => undefined);
  }

  /** Sends name and password to the current server. The next attempt asks another if it hangs. */
  async #login(login: object, signal: AbortSignal): Promise<string> {
    const origin = this.#origin;
    signal.addEventListener('abort', () =>
      this.#leave(origin, new Error('the server has not authenticated the user in time')),
    );
    const response = await this.#send(origin, {
      path: '/v3/auth/authenticate',
      body: login,
      signal,
    });
    return String(replyIn(await textIn(response))['token']);
  }

  /** Resolves with whether another server should be asked, because this request has no outcome yet. */
  async #isSlow(request: Promise<unknown>): Promise<boolean> {
    const outcome = request.then(
      () => false,
      () => false,
    );
    const over = new AbortController();
    const waited = sleep(this.#clock, this.#slowMs, over.signal).then(() => true);
    const isSlow = await Promise.race([outcome, waited]);
    over.abort();
    return isSlow;
  }

  /** Prepares another try after an error, with another server or another token, if one may help. */
  async #recovers(error: unknown, origin: string, token: string | undefined): Promise<boolean> {
    if (isTokenOutdated(error)) {
      await this.#authentication.forget(token);
      return this.#authentication.isRenewable;
    }
    if (error instanceof UnknownConnection) return true;
    if (!mayAskAnother(error)) return false;
    this.#leave(origin, error);
    return true;
  }

  /** Uses the next server from now on, unless another request has changed it already. */
  #leave(origin: string, why: unknown): void {
    if (this.#origin !== origin) return;
    const next = (this.#origins.indexOf(origin) + 1) % this.#origins.length;
    this.#origin = this.#origins[next] ?? origin;
    this.#left.abort(why);
    this.#left = new AbortController();
    // Idle connections may have failed in the same way.
    for (const sockets of Object.values(this.#agent.freeSockets))
      for (const socket of sockets ?? []) socket.destroy();
  }

  /**
   * Sees to it that a connection is free over which the cluster of a request has answered.
   * @throws OtherCluster if another cluster answers
   */
  async #connectTo(origin: string, { only, ...request }: Request): Promise<void> {
    if (only === undefined) return;
    const free = Object.values(this.#agent.freeSockets).flatMap((sockets) => sockets ?? []);
    const mayUse = (socket: Socket): boolean =>
      !socket.destroyed && this.#hasAnswered(socket, origin, only);
    if (free.some(mayUse)) return;
    const reading = { ...request, path: '/v3/kv/range', body: only.range };
    const reply = await this.#replyIn(await this.#send(origin, reading), origin);
    if (clusterIn(reply) !== only.id) throw new OtherCluster();
  }

  #hasAnswered(socket: Socket, origin: string, { id }: KnownCluster): boolean {
    return this.#places.get(socket) === `${id} ${origin}`;
  }

  async #replyIn(response: IncomingMessage, origin: string): Promise<Reply> {
    const { socket } = response;
    const reply = replyIn(await textIn(response));
    this.#places.set(socket, `${clusterIn(reply)} ${origin}`);
    return reply;
  }

  /** Sends one request to one server. Rejects if the reply is an error. */
  async #send(
    origin: string,
    { path, body, signal, token, only }: Request,
  ): Promise<IncomingMessage> {
    // A server without a leader answers at once that it has none.
    const headers = { 'Grpc-Metadata-hasleader': 'true', ...(token && { Authorization: token }) };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = this.#request(
        new URL(path, origin),
        { method: body ? 'POST' : 'GET', agent: this.#agent, headers, signal },
        resolve,
      );
      sent.on('error', reject);
      if (only !== undefined)
        sent.on('socket', (socket) => {
          if (!this.#hasAnswered(socket, origin, only)) sent.destroy(new UnknownConnection());
        });
      sent.end(body && JSON.stringify(body));
    });
    if (response.statusCode === 200) return response;
    const text = await textIn(response);
    throw errorIn(text) ?? new ReplyError(`http-${response.statusCode}`, text.trim());
  }
}

/** One request to one server. */
interface Request {
  readonly path: string;
  readonly body: object | undefined;
  readonly signal: AbortSignal;
  readonly token?: string | undefined;
  readonly only?: KnownCluster | undefined;
}

/** Reads the response of a server. */
type Use<T> = (response: IncomingMessage, origin: string) => Promise<T>;

/** A connection was not used, because its cluster is not known yet. */
class UnknownConnection extends Error {}

/** Returns the identity of the cluster that has sent a reply, if it contains one. */
function clusterIn({ header }: Reply): string | undefined {
  const { cluster_id: cluster } = (header ?? {}) as { readonly cluster_id?: string };
  return cluster;
}

/**
 * Parses a reply, or one message of a stream.
 * @throws ReplyError if it is an error
 */
function replyIn(text: string): Reply {
  const error = errorIn(text);
  if (error !== undefined) throw error;
  return JSON.parse(text) as Reply;
}

/** Returns the error that a reply is. In a stream it is an object, and otherwise a text. */
function errorIn(text: string): ReplyError | undefined {
  const { error, code, message } = jsonFields(text) ?? {};
  if (error === undefined && message === undefined) return undefined;
  const inner = (typeof error === 'object' ? error : {}) as Reply;
  return new ReplyError(
    String(code ?? inner['grpc_code'] ?? inner['code']),
    String(message ?? inner['message'] ?? error),
  );
}
