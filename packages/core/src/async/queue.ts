import { nextWake } from './latest-value.ts';

/** An unbounded queue of values for a single reader that keeps up. */
export interface AsyncQueue<T> {
  /** Appends a value. */
  push(value: T): void;
  /**
   * Yields all pushed values, past and future. Once the signal has aborted, only those follow that it has
   * taken from the queue.
   */
  drain(signal: AbortSignal): AsyncGenerator<T, void, undefined>;
}

/** Creates an empty queue. */
export function asyncQueue<T>(): AsyncQueue<T> {
  const wakers = new Set<() => void>();
  let values: T[] = [];
  return {
    push(value) {
      values.push(value);
      for (const waker of wakers) waker();
    },
    async *drain(signal) {
      while (!signal.aborted) {
        const batch = values;
        values = [];
        yield* batch;
        if (values.length === 0) await nextWake(wakers, signal);
      }
    },
  };
}
