// Options that are functions: somebody else's code, called where an exception would end the process.
import { inspect } from 'node:util';

/** What the function has answered; an error that says what it did instead. Nothing here can wait for a promise: that is none either. */
export function callGuarded<T>(name: string, callback: () => T): T | Error {
  try {
    const answer = callback();
    if (!isThenable(answer)) return answer;
    // A rejection that nobody hears of would end the process, too.
    answer.then(undefined, () => undefined);
    return new Error(`${name}() returned a promise, which nothing can wait for there`);
  } catch (error) {
    return thrownBy(name, error);
  }
}

/** Tells the function something. `failed` hears of it where it throws, or rejects later. */
export function notifyGuarded(name: string, callback: () => unknown, failed: (error: Error) => void): void {
  try {
    const answer = callback();
    if (isThenable(answer)) answer.then(undefined, (error: unknown) => failed(thrownBy(name, error)));
  } catch (error) {
    failed(thrownBy(name, error));
  }
}

function thrownBy(name: string, error: unknown): Error {
  return new Error(`${name}() threw: ${error instanceof Error ? error.message : inspect(error)}`, { cause: error });
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
