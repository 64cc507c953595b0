// One connection of @platformatic/kafka to one broker: it can be ended at once, and is replaced
// before its login expires.
import { isIP, type Socket } from 'node:net';
import { type ConnectionOptions, createSecureContext } from 'node:tls';
import { monotonicClock, supplied, withTimeout } from '@leadership/core/adapter';
import type { API, Connection } from '@platformatic/kafka';
import { closedMessage } from '../connection/closed-message.ts';
import { withResponseTimeout } from '../connection/response-timeout.ts';
import { answerErrorOf, brokerErrorOf } from './broker-error.ts';
import type { Library } from './library.ts';
import { type Login, loginBy } from './login.ts';
import { type PlatformaticOptions, timerMsMax } from './options.ts';

/** The address of a broker. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** The options of connections. */
export interface ConnectionSettings extends PlatformaticOptions {
  /**
   * Called with every new socket, which lets tests interrupt it. Throws if no socket may be opened.
   */
  readonly opened?: (socket: Socket) => void;
  /**
   * How long an answer may take before its request rejects. Milliseconds. Default: as long as the
   * connection is open.
   */
  readonly requestTimeoutMs?: number;
}

/** A connection, until it ends. */
export interface BrokerConnection {
  readonly isOpen: boolean;
  /** When it was opened, or when something was received on it last, by `performance.now()`. */
  readonly lastReceivedAt: number;
  /** When another connection should replace it, by `performance.now()`. */
  readonly renewAt: number;
  /**
   * When the last request may be sent, by `performance.now()`. The broker ends the connection on
   * later requests.
   */
  readonly expiresAt: number;
  /** Sends a request; rejects with a `BrokerError` if the broker refuses it. */
  ask<Request extends unknown[], Response>(
    api: API<Request, Response>,
    ...request: Request
  ): Promise<Response>;
  /**
   * The same for a request that the broker may hold back, which multiplies the time that its answer
   * may take.
   */
  askPatiently<Request extends unknown[], Response>(
    times: number,
    api: API<Request, Response>,
    ...request: Request
  ): Promise<Response>;
  /** Ends the connection once no request is in flight. */
  retire(): void;
  /** Ends the connection at once, and rejects the requests in flight. */
  end(error: Error): void;
}

const connectTimeoutMsDefault = 3_000;
/**
 * Brokers answer the requests of a connection one after the other; this many may wait. Callers limit
 * the time of their requests: the library's own limit of 30 s would cut joins and long polls, and
 * release 2 ends the connection. Release 1.22 has no such limit.
 */
const connectionLimits = { maxInflights: 1_000, requestTimeout: timerMsMax } as const;
/**
 * A login is renewed after the first share of its lifetime; no request is sent after the second
 * one.
 */
const [renewShare, expiryShare] = [0.7, 0.95];

/**
 * Opens a connection. Rejects if the broker cannot be reached or refuses the login. The signal ends
 * it at any time.
 */
export async function openConnection(
  library: Library,
  settings: ConnectionSettings,
  place: Place,
  signal: AbortSignal,
): Promise<BrokerConnection> {
  const {
    sasl,
    clientId = 'leadership',
    connectTimeoutMs = connectTimeoutMsDefault,
    opened,
  } = settings;
  if (signal.aborted) throw new Error(closedMessage);
  const tls = await currentTls(settings.tls, connectTimeoutMs, signal);
  let login: Login = { beganAt: performance.now(), lifetimeMs: 0 };
  const loggedIn = (made: Login): void => {
    login = made;
  };
  const connection = new library.Connection(clientId, {
    ...connectionLimits,
    connectTimeout: connectTimeoutMs,
    ...(tls && {
      // Node refuses a bad certificate here: in connect(), the library would leave a timer.
      tls: { secureContext: createSecureContext(tls), ...tls },
      tlsServerName: tls.servername ?? isIP(place.host) === 0,
    }),
    ...(sasl && { sasl: loginBy(library, sasl, loggedIn) }),
  });
  const ending = endingOf(connection);
  const abort = (): void => ending.end(new Error(closedMessage));
  signal.addEventListener('abort', abort, { once: true });
  connection.once('close', () => signal.removeEventListener('abort', abort));
  // The library's own limit covers only the socket, and a login may hang too.
  const timer = setTimeout(
    () => ending.end(new Error(`it was not opened within ${connectTimeoutMs} ms`)),
    connectTimeoutMs,
  );
  try {
    await Promise.race([connected(connection, place, opened), ending.ended]);
  } catch (error) {
    ending.end(new Error('it could not be opened'));
    signal.removeEventListener('abort', abort);
    throw brokerErrorOf(error);
  } finally {
    clearTimeout(timer);
  }
  return brokerConnection(connection, ending.end, login, settings.requestTimeoutMs);
}

/**
 * Resolves once the connection can be used. The library is given a callback: the promise that it would
 * return rejects when the connection ends, and nothing handles that if `opened` has thrown.
 */
function connected(
  connection: Connection,
  { host, port }: Place,
  opened: ConnectionSettings['opened'],
): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.connect(host, port, (error) => (error ? reject(error) : resolve()));
    // The operating system also detects a broker that disappeared without closing the connection.
    connection.socket.setKeepAlive(true);
    opened?.(connection.socket);
  });
}

/** Returns the options of TLS for one connection, within the time that opening it may take. */
async function currentTls(
  tls: PlatformaticOptions['tls'],
  limitMs: number,
  signal: AbortSignal,
): Promise<ConnectionOptions | undefined> {
  if (typeof tls !== 'function') return tls;
  const limits = { clock: monotonicClock, limitMs, signal };
  return withTimeout(limits, (until) => supplied('tls', 'object', tls, until));
}

/**
 * Ends a connection. The library waits for answers before it disconnects, and leaves a timer if the
 * socket ends first.
 */
function endingOf(connection: Connection): {
  readonly ended: Promise<never>;
  end(error: Error): void;
} {
  let reject = (_error: Error): void => undefined;
  const ended = new Promise<never>((_resolve, rejectNow) => {
    reject = rejectNow;
  });
  ended.catch(() => undefined);
  const end = (error: Error): void => {
    reject(error);
    // Ends the library's timers; the socket itself would wait for the broker.
    void connection.close().catch(() => undefined);
    connection.socket?.destroy();
  };
  // After it emits an error, the library continues to read a stream that it can no longer parse.
  connection.on('error', end);
  return { ended, end };
}

function brokerConnection(
  connection: Connection,
  end: (error: Error) => void,
  { beganAt, lifetimeMs }: Login,
  requestTimeoutMs: number | undefined,
): BrokerConnection {
  let lastReceivedAt = performance.now();
  let asked = 0;
  let isRetired = false;
  connection.socket.on('data', () => {
    lastReceivedAt = performance.now();
  });
  const endIfIdle = (): void => {
    if (isRetired && asked === 0) end(new Error('another connection takes its place'));
  };
  const ask = async <Request extends unknown[], Response>(
    times: number,
    api: API<Request, Response>,
    ...request: Request
  ): Promise<Response> => {
    asked += 1;
    try {
      const answer = api.async(connection, ...request);
      // The connection stays open: other requests on it may be answered.
      return await (requestTimeoutMs === undefined
        ? answer
        : withResponseTimeout(monotonicClock, times * requestTimeoutMs, answer));
    } catch (error) {
      throw answerErrorOf(error);
    } finally {
      asked -= 1;
      endIfIdle();
    }
  };
  return {
    get isOpen() {
      return connection.isConnected();
    },
    get lastReceivedAt() {
      return lastReceivedAt;
    },
    renewAt: lifetimeMs > 0 ? beganAt + renewShare * lifetimeMs : Number.POSITIVE_INFINITY,
    expiresAt: lifetimeMs > 0 ? beganAt + expiryShare * lifetimeMs : Number.POSITIVE_INFINITY,
    ask: (api, ...request) => ask(1, api, ...request),
    askPatiently: ask,
    retire() {
      isRetired = true;
      endIfIdle();
    },
    end,
  };
}
