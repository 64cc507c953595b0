// Reloads the keys of a member of Nerio or gossip.
import { LeadershipError } from '@leadership/core';
import { callGuarded } from './guarded-callback.ts';
import { type GroupKeys, type Keyring, keyringOf } from './keyring.ts';

/**
 * The current keys of a member. They are loaded again and again, because they may be rotated while
 * it runs.
 */
export class LoadedKeys {
  readonly #load: () => GroupKeys;
  #keyring: Keyring;

  /**
   * Loads the keys. A member never starts without the ones that it was configured with.
   * @throws LeadershipError `unauthorized` if they cannot be loaded, `invalid-options` if they are
   * not keys
   */
  constructor(load: () => GroupKeys) {
    this.#load = load;
    this.#keyring = keyringOf(loadSecret('keys', load));
  }

  get keyring(): Keyring {
    return this.#keyring;
  }

  /** Loads them again. If that fails, the previous ones stay in use and the error is returned. */
  renew(): LeadershipError | undefined {
    return renewed(() => {
      this.#keyring = keyringOf(loadSecret('keys', this.#load));
    });
  }
}

/**
 * Calls an option that returns a secret.
 * @throws LeadershipError `unauthorized` if it throws, `invalid-options` if it returns no object
 */
export function loadSecret<T>(name: 'keys' | 'tls', load: () => T): T {
  const answer = callGuarded(name, load);
  if (answer instanceof Error)
    throw new LeadershipError('unauthorized', answer.message, { cause: answer.cause ?? answer });
  if (typeof answer === 'object' && answer !== null) return answer;
  throw new LeadershipError(
    'invalid-options',
    `${name}() returned ${String(answer)}: it must return a value that the option ${name} accepts`,
  );
}

/** Renews a secret. Returns the error if it stays as it was. */
export function renewed(renew: () => void): LeadershipError | undefined {
  try {
    renew();
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return new LeadershipError(
      'unauthorized',
      `${why}; the previous ones stay in use, and the member tries again`,
      { cause: error },
    );
  }
}

/** Returns a function for an option that is a value or a function. */
export function asFunction<T extends object>(
  value: T | (() => T) | undefined,
): (() => T) | undefined {
  return value === undefined || typeof value === 'function'
    ? (value as (() => T) | undefined)
    : () => value;
}
