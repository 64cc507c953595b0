// Secrets and certificates that change while a member runs: calls the user's functions that supply
// them, and keeps their last result. The adapters of servers use it.
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { waitFor } from '../async/waiting.ts';
import { check } from '../contract/check-option.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import { messageOf } from '../contract/message-of.ts';

/** A value, or a function that returns the current one. It is called for each new connection. */
export type Supplied<T> = T | (() => T | Promise<T>);

/**
 * Resolves with the current value of an option that may be a function. Its errors, and the error of a
 * time limit behind the signal, name the option.
 * @throws LeadershipError `unreachable` if the function fails, which may pass with time;
 * `unauthorized` if it returns a value of another type
 */
export async function supplied<T extends string | object>(
  name: string,
  type: 'string' | 'object',
  value: Supplied<T>,
  signal: AbortSignal,
): Promise<T> {
  if (typeof value !== 'function') return value;
  const called = Promise.resolve()
    .then(value as () => T | Promise<T>)
    .catch((cause: unknown) => {
      const message = `the function ${name} failed: ${messageOf(cause)}`;
      throw new LeadershipError('unreachable', message, { cause });
    });
  const found: unknown = await waitFor(`the function ${name}`, called, signal);
  if (typeof found === type && found !== null) return found as T;
  throw new LeadershipError(
    'unauthorized',
    `the function ${name} returned a value of type ${typeof found}: it must return one of type ${type}`,
  );
}

/** Checks that a secret is a text, or a function that returns one. `undefined` is no secret. */
export function checkSecret(name: string, value: unknown): void {
  check(
    value === undefined ||
      typeof value === 'function' ||
      (typeof value === 'string' && value !== ''),
    `${name} must be a text that is not empty, or a function that returns one`,
  );
}

/**
 * Checks the option `tls` of a connection: Node would refuse keys and certificates only once it
 * connects.
 */
export function checkTls(
  name: string,
  tls: unknown,
  remedy: string = `for values that change, make ${name} a function`,
): void {
  if (tls === undefined || typeof tls === 'boolean' || typeof tls === 'function') return;
  check(
    typeof tls === 'object' && tls !== null && !Array.isArray(tls),
    `${name} must be true, false, an object with certificates, or a function that returns one`,
  );
  try {
    createSecureContext(tls as SecureContextOptions);
  } catch (cause) {
    throw new LeadershipError(
      'invalid-options',
      `${name} is refused by Node: ${messageOf(cause)}; certificates and keys must be PEM; ${remedy}`,
      { cause },
    );
  }
}
