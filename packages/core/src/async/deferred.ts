// A promise with its resolve and reject, as `Promise.withResolvers`, which Node 20 lacks.

/**
 * A promise that is settled from outside. It never causes an unhandled rejection, even if it is not
 * awaited.
 */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(reason: unknown): void;
}

export function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<T>((fulfil, fail) => {
    resolve = fulfil;
    reject = fail;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
