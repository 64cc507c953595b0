import { nextWake } from './latest.ts';

/** Values in order, each to the one reader. For readers that keep up: unbounded. */
export interface Queue<T> {
  /** Appends a value. */
  push(value: T): void;
  /** Yields what was pushed and what will be, until the signal aborts. */
  drain(signal: AbortSignal): AsyncGenerator<T, void, undefined>;
}

/** An empty queue. */
export function queue<T>(): Queue<T> {
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
