// The options of `platformatic()`: their types, defaults and checks.
import type { ConnectionOptions } from 'node:tls';
import { check, checkFields, checkTls } from '@leadership/core/adapter';

/** A value, or a function that finds it at each login. */
export type Credential = string | (() => string | Promise<string>);

/** The login of a member. */
export interface PlatformaticLogin {
  /** The mechanism of SASL. */
  readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512' | 'OAUTHBEARER';
  /** For PLAIN and SCRAM. */
  readonly username?: Credential;
  /** For PLAIN and SCRAM. */
  readonly password?: Credential;
  /** For OAUTHBEARER. */
  readonly token?: Credential;
}

/** Options of {@link platformatic}. The brokers are named by `kafka.brokers` or by the URL. */
export interface PlatformaticOptions {
  /**
   * Options of Node's TLS; `{}` is TLS with Node's own certificate authorities. A function returns
   * current ones for each new connection. Default: no TLS.
   */
  readonly tls?: ConnectionOptions | (() => ConnectionOptions | Promise<ConnectionOptions>);
  /** Default: no login. */
  readonly sasl?: PlatformaticLogin;
  /** The name under which brokers list the member's connections. Default `leadership`. */
  readonly clientId?: string;
  /** How long opening one connection may take, the login included. Milliseconds. Default 3000. */
  readonly connectTimeoutMs?: number;
}

/** The longest timer of Node, in milliseconds. Longer ones fire at once. */
export const timerMsMax: number = 2 ** 31 - 1;
const names: readonly string[] = [
  'tls',
  'sasl',
  'clientId',
  'connectTimeoutMs',
] satisfies (keyof PlatformaticOptions)[];
const loginNames: readonly string[] = [
  'mechanism',
  'username',
  'password',
  'token',
] satisfies (keyof PlatformaticLogin)[];
const mechanisms: readonly string[] = [
  'PLAIN',
  'SCRAM-SHA-256',
  'SCRAM-SHA-512',
  'OAUTHBEARER',
] satisfies PlatformaticLogin['mechanism'][];

/**
 * Checks the options of the second client.
 * @throws LeadershipError `invalid-options`
 */
export function checkOptions(options: PlatformaticOptions): void {
  check(
    isObject(options),
    'platformatic() takes an object, as in platformatic({ tls: {}, sasl: { mechanism: "PLAIN", username, password } })',
  );
  checkFields('platformatic()', options, names);
  const { tls, sasl, clientId, connectTimeoutMs } = options;
  check(
    tls === undefined || typeof tls === 'function' || isObject(tls),
    "platformatic(): tls must be an object with options of Node's TLS, or a function that returns one; {} is TLS with its defaults",
  );
  check(
    clientId === undefined || (typeof clientId === 'string' && clientId !== ''),
    'platformatic(): clientId must be a string that is not empty',
  );
  check(
    connectTimeoutMs === undefined ||
      (Number.isSafeInteger(connectTimeoutMs) &&
        connectTimeoutMs > 0 &&
        connectTimeoutMs <= timerMsMax),
    `platformatic(): connectTimeoutMs must be a whole number of milliseconds from 1 to ${timerMsMax}`,
  );
  checkTls('platformatic(): tls', tls);
  if (sasl !== undefined) checkLogin(sasl);
}

function checkLogin(sasl: PlatformaticLogin): void {
  check(isObject(sasl), 'platformatic(): sasl must be an object with a mechanism');
  checkFields('platformatic(): sasl', sasl, loginNames);
  const { mechanism } = sasl;
  check(
    mechanisms.includes(mechanism),
    `platformatic(): sasl.mechanism ${String(mechanism)} must be one of ${mechanisms.join(', ')}`,
  );
  for (const name of mechanism === 'OAUTHBEARER'
    ? (['token'] as const)
    : (['username', 'password'] as const)) {
    const value: unknown = sasl[name];
    check(
      typeof value === 'function' || (typeof value === 'string' && value !== ''),
      `platformatic(): sasl.${name} must be a string or a function that returns one: ${mechanism} needs it`,
    );
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
