/**
 * A value that async readers follow. Each reader gets the latest value and skips those that it was
 * too slow for. Buffers one value per reader.
 */
export interface LatestValue<T> {
  /** Replaces the value and wakes every reader. */
  set(value: T): void;
  /** Yields the current value if there is one, then every change, until the signal aborts. */
  follow(signal?: AbortSignal): AsyncGenerator<T, void, undefined>;
}

/** Creates one without a value, or with `initial`. */
export function latestValue<T>(...initial: readonly T[]): LatestValue<T> {
  const wakers = new Set<() => void>();
  let version = initial.length;
  let current = initial.at(-1);
  const changed = (signal: AbortSignal | undefined): Promise<void> => nextWake(wakers, signal);
  async function* follow(signal?: AbortSignal): AsyncGenerator<T, void, undefined> {
    let seen = 0;
    while (!signal?.aborted) {
      if (version > seen) {
        seen = version;
        yield current as T;
      } else await changed(signal);
    }
  }
  return {
    follow,
    set(value) {
      current = value;
      version += 1;
      for (const waker of wakers) waker();
    },
  };
}

/** Resolves at the next wake, or once the signal has aborted. Leaves no listener behind. */
export function nextWake(wakers: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const waker = (): void => {
      wakers.delete(waker);
      signal?.removeEventListener('abort', waker);
      resolve();
    };
    wakers.add(waker);
    signal?.addEventListener('abort', waker, { once: true });
  });
}
