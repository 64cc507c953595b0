import { type Deferred, deferred } from './deferred.ts';

/**
 * An operation that runs once. Every call gets the promise of the first, also a call that is made
 * while the operation starts: a subscriber that it notifies may call it again.
 */
export class Once {
  #result: Deferred<void> | undefined;

  /** Whether the operation has begun. */
  get hasBegun(): boolean {
    return this.#result !== undefined;
  }

  /** Runs the operation, unless it has begun. Resolves and rejects as the first call does. */
  run(operation: () => Promise<void>): Promise<void> {
    if (this.#result !== undefined) return this.#result.promise;
    const result = deferred<void>();
    this.#result = result;
    operation().then(result.resolve, result.reject);
    return result.promise;
  }
}
