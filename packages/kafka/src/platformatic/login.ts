// The login of @platformatic/kafka by SASL. Credentials are read and checked here, and an exception
// in a callback of the library rejects the login: the library calls them while it reads from a
// socket, where an exception would end the process.
import { LeadershipError } from '@leadership/core';
import type { Connection, SASLOptions, saslAuthenticateV2 as saslApi } from '@platformatic/kafka';
import { BrokerError } from './broker-error.ts';
import type { Library } from './library.ts';
import type { PlatformaticLogin } from './options.ts';

/** A login that a broker accepted. */
export interface Login {
  /**
   * A moment before the request, by `performance.now()`: the broker counts the lifetime from a
   * later one.
   */
  readonly beganAt: number;
  /** 0: the login does not expire. Milliseconds. */
  readonly lifetimeMs: number;
}

/**
 * Describes the login to the library, which would log in again on a connection that is in use
 * (KIP-368). A broker ends a connection on which another request arrives meanwhile. So the library
 * is not given the lifetime of a login: the connection is replaced instead.
 */
export function loginBy(
  library: Library,
  sasl: PlatformaticLogin,
  loggedIn: (login: Login) => void,
): SASLOptions {
  return {
    mechanism: sasl.mechanism,
    authenticate(_mechanism, connection, api, _username, _password, _token, callback) {
      const logIn = async (): Promise<saslApi.SaslAuthenticateResponse> => {
        const credentials = await credentialsIn(sasl);
        const beganAt = performance.now();
        const response = await authenticate(library, sasl, connection, api, credentials);
        loggedIn({ beganAt, lifetimeMs: Number(response.sessionLifetimeMs) });
        return { ...response, sessionLifetimeMs: 0n };
      };
      logIn().then(
        (response) => callback(null, response),
        // The library reads no response where there is an error.
        (error: Error) => callback(error, undefined as unknown as saslApi.SaslAuthenticateResponse),
      );
    },
  };
}

type Credentials = Readonly<Record<'username' | 'password' | 'token', string>>;

async function authenticate(
  library: Library,
  { mechanism }: PlatformaticLogin,
  connection: Connection,
  api: saslApi.SASLAuthenticationAPI,
  { username, password, token }: Credentials,
): Promise<saslApi.SaslAuthenticateResponse> {
  const response = await new Promise<saslApi.SaslAuthenticateResponse>((resolve, reject) => {
    const done = (error: Error | null, answer?: saslApi.SaslAuthenticateResponse): void =>
      error || answer === undefined ? reject(error) : resolve(answer);
    const guarded = guardedApi(api, reject);
    if (mechanism === 'PLAIN')
      library.saslPlain.authenticate(guarded, connection, username, password, done);
    else if (mechanism === 'OAUTHBEARER')
      library.saslOAuthBearer.authenticate(guarded, connection, token, {}, done);
    else {
      const algorithm = mechanism === 'SCRAM-SHA-256' ? 'SHA-256' : 'SHA-512';
      library.saslScramSha.authenticate(
        guarded,
        connection,
        algorithm,
        username,
        password,
        library.saslScramSha.defaultCrypto,
        done,
      );
    }
  });
  // A broker refuses a token in an answer without an error code (RFC 7628); an accepted one has an
  // empty answer.
  if (mechanism === 'OAUTHBEARER' && response.authBytes.length > 0)
    throw new BrokerError(
      'SASL_AUTHENTICATION_FAILED',
      `the broker refused the token: ${response.authBytes.toString('utf8')}`,
    );
  return response;
}

/** The same request; an exception in the callback of its answer is given to `thrown`. */
function guardedApi(
  api: saslApi.SASLAuthenticationAPI,
  thrown: (error: unknown) => void,
): saslApi.SASLAuthenticationAPI {
  const guarded: saslApi.SASLAuthenticationAPI = Object.assign(
    (...[connection, authBytes, callback]: Parameters<saslApi.SASLAuthenticationAPI>): void => {
      api(connection, authBytes, (error, response) => {
        try {
          callback?.(error, response);
        } catch (exception) {
          thrown(exception);
        }
      });
    },
    api,
  );
  return guarded;
}

async function credentialsIn(sasl: PlatformaticLogin): Promise<Credentials> {
  const [username, password, token] = await Promise.all([
    credentialIn(sasl, 'username'),
    credentialIn(sasl, 'password'),
    credentialIn(sasl, 'token'),
  ]);
  return { username, password, token };
}

async function credentialIn(
  sasl: PlatformaticLogin,
  name: 'username' | 'password' | 'token',
): Promise<string> {
  const credential = sasl[name];
  if (typeof credential !== 'function') return credential ?? '';
  const found: unknown = await (async () => credential())().catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new LeadershipError(
      'unreachable',
      `platformatic(): the function sasl.${name} failed: ${reason}`,
      { cause },
    );
  });
  if (typeof found === 'string') return found;
  throw new LeadershipError(
    'invalid-options',
    `platformatic(): the function sasl.${name} must return a string, not ${typeof found}`,
  );
}
