// One connection to one broker: it can be ended at once, and is replaced before its login expires.
import { isIP, type Socket } from 'node:net';
import type { API, Connection, SASLOptions } from '@platformatic/kafka';
import { brokerErrorOf } from './broker-error.ts';
import type { Library } from './library.ts';
import type { PlatformaticLogin, PlatformaticOptions } from './options.ts';

/** Where a broker is. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** How connections are made. */
export interface ConnectionSettings extends PlatformaticOptions {
  /** Every socket that is opened: a test cuts it off. Throws where none may be opened. */
  readonly opened?: (socket: Socket) => void;
}

/** A connection, until it ends. */
export interface BrokerConnection {
  readonly isOpen: boolean;
  /** When it was opened, or when something was received on it last, by `performance.now()`. */
  readonly heardAt: number;
  /** From when on another one should take its place, by `performance.now()`. */
  readonly renewAt: number;
  /** From when on nothing may be asked on it any more: the broker would end it. By `performance.now()`. */
  readonly expiresAt: number;
  /** Asks the broker; rejects with a `BrokerError` where the broker said no. */
  ask<Request extends unknown[], Response>(api: API<Request, Response>, ...request: Request): Promise<Response>;
  /** Ends it once nothing is asked on it any more. */
  retire(): void;
  /** Ends it at once. What is in flight rejects. */
  end(error: Error): void;
}

const connectTimeoutMsDefault = 3_000;
/** Brokers answer the requests of a connection one after the other; so many may wait. */
const inFlightMax = 1_000;
/** A login is renewed after this share of its time; after the second one nothing is asked any more. */
const [renewShare, expiryShare] = [0.7, 0.95];

/** Opens a connection; rejects where the broker is not reached, or the login refused. The signal ends it, at any time. */
export async function openConnection(
  library: Library,
  settings: ConnectionSettings,
  place: Place,
  signal: AbortSignal,
): Promise<BrokerConnection> {
  const { tls, sasl, clientId = 'leadership', connectTimeoutMs = connectTimeoutMsDefault, opened } = settings;
  if (signal.aborted) throw new Error('this client is closed');
  let lifetimeMs = 0;
  const loggedIn = (ms: number): void => {
    lifetimeMs = ms;
  };
  const connection = new library.Connection(clientId, {
    ...{ connectTimeout: connectTimeoutMs, maxInflights: inFlightMax },
    ...(tls && { tls, tlsServerName: isIP(place.host) === 0 }),
    ...(sasl && { sasl: loginOf(library, sasl, loggedIn) }),
  });
  const ending = endingOf(connection);
  const abort = (): void => ending.end(new Error('this client is closed'));
  signal.addEventListener('abort', abort, { once: true });
  connection.once('close', () => signal.removeEventListener('abort', abort));
  // The library's own limit ends with the socket's part of it, and a login may hang too.
  const timer = setTimeout(() => ending.end(new Error(`it was not opened within ${connectTimeoutMs} ms`)), connectTimeoutMs);
  try {
    const connected = Promise.resolve(connection.connect(place.host, place.port));
    opened?.(connection.socket);
    await Promise.race([connected, ending.ended]);
  } catch (error) {
    ending.end(new Error('it could not be opened'));
    signal.removeEventListener('abort', abort);
    throw brokerErrorOf(error);
  } finally {
    clearTimeout(timer);
  }
  return brokerConnection(connection, ending.end, lifetimeMs);
}

/** The library waits for answers before it disconnects, and leaves a timer behind where the socket ends first. */
function endingOf(connection: Connection): { readonly ended: Promise<never>; end(error: Error): void } {
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
  // After an error that the library emits it goes on reading where nothing makes sense any more.
  connection.on('error', end);
  return { ended, end };
}

function brokerConnection(connection: Connection, end: (error: Error) => void, lifetimeMs: number): BrokerConnection {
  const openedAt = performance.now();
  let heardAt = openedAt;
  let asked = 0;
  let isRetired = false;
  connection.socket.on('data', () => {
    heardAt = performance.now();
  });
  const endIfIdle = (): void => {
    if (isRetired && asked === 0) end(new Error('another connection takes its place'));
  };
  return {
    get isOpen() {
      return connection.isConnected();
    },
    get heardAt() {
      return heardAt;
    },
    renewAt: lifetimeMs > 0 ? openedAt + renewShare * lifetimeMs : Number.POSITIVE_INFINITY,
    expiresAt: lifetimeMs > 0 ? openedAt + expiryShare * lifetimeMs : Number.POSITIVE_INFINITY,
    async ask(api, ...request) {
      asked += 1;
      try {
        return await api.async(connection, ...request);
      } catch (error) {
        throw brokerErrorOf(error);
      } finally {
        asked -= 1;
        endIfIdle();
      }
    },
    retire() {
      isRetired = true;
      endIfIdle();
    },
    end,
  };
}

/**
 * The library logs in again on a connection that is in use (KIP-368). A broker ends a connection on which anything else is asked meanwhile,
 * so the library is not told how long a login lasts: the connection is replaced instead.
 */
function loginOf(library: Library, sasl: PlatformaticLogin, loggedIn: (lifetimeMs: number) => void): SASLOptions {
  const { mechanism, username = '', password = '', token = '' } = sasl;
  return {
    mechanism,
    authenticate(_mechanism, connection, api, _username, _password, _token, callback) {
      const done: typeof callback = (error, response) => {
        if (!error) loggedIn(Number(response.sessionLifetimeMs));
        callback(error, error ? response : { ...response, sessionLifetimeMs: 0n });
      };
      if (mechanism === 'PLAIN') library.saslPlain.authenticate(api, connection, username, password, done);
      else if (mechanism === 'OAUTHBEARER') library.saslOAuthBearer.authenticate(api, connection, token, {}, done);
      else {
        const algorithm = mechanism === 'SCRAM-SHA-256' ? 'SHA-256' : 'SHA-512';
        library.saslScramSha.authenticate(api, connection, algorithm, username, password, library.saslScramSha.defaultCrypto, done);
      }
    },
  };
}
