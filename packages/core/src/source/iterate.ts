import type { Observable } from 'rxjs';

/**
 * Returns an async iterator over an observable. It buffers at most the latest value; ending the
 * iteration early unsubscribes at once.
 */
export function iterate<T>(source$: Observable<T>): AsyncIterator<T, undefined> {
  let buffered: { readonly value: T } | undefined;
  let isOver = false;
  let waiting: ((result: IteratorResult<T, undefined>) => void)[] = [];
  const end = (): void => {
    isOver = true;
    for (const resolve of waiting) resolve({ done: true, value: undefined });
    waiting = [];
  };
  const next = (value: T): void => {
    const resolve = waiting.shift();
    if (resolve) resolve({ done: false, value });
    else buffered = { value };
  };
  const subscription = source$.subscribe({ next, complete: end });
  return {
    next() {
      if (buffered) {
        const { value } = buffered;
        buffered = undefined;
        return Promise.resolve({ done: false, value });
      }
      return isOver
        ? Promise.resolve({ done: true, value: undefined })
        : new Promise((resolve) => waiting.push(resolve));
    },
    return() {
      subscription.unsubscribe();
      buffered = undefined;
      end();
      return Promise.resolve({ done: true, value: undefined });
    },
  };
}
