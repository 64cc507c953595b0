// Calls the functions that a user passed as options, such as one that loads keys, where an
// exception would end the process.
import { inspect } from 'node:util';

/**
 * Returns the result of the function, or an error if it threw or returned a promise: the caller
 * cannot wait for a promise.
 */
export function callGuarded<T>(name: string, callback: () => T): T | Error {
  try {
    const answer = callback();
    if (!isThenable(answer)) return answer;
    // An unhandled rejection would end the process, too.
    answer.then(undefined, () => undefined);
    return new Error(`${name}() returned a promise, which nothing can wait for there`);
  } catch (error) {
    return thrownBy(name, error);
  }
}

/** Calls the function. Calls `failed` if it throws, or if its promise rejects later. */
export function notifyGuarded(
  name: string,
  callback: () => unknown,
  failed: (error: Error) => void,
): void {
  try {
    const answer = callback();
    if (isThenable(answer))
      answer.then(undefined, (error: unknown) => failed(thrownBy(name, error)));
  } catch (error) {
    failed(thrownBy(name, error));
  }
}

function thrownBy(name: string, error: unknown): Error {
  return new Error(`${name}() threw: ${error instanceof Error ? error.message : inspect(error)}`, {
    cause: error,
  });
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'then' in value &&
    typeof value.then === 'function'
  );
}
