import { onAbort } from '../process/on-abort.ts';

/**
 * Returns the result of `promise`, or rejects with the signal's reason once it aborts. Leaves no
 * listener behind.
 */
export async function raceSignal<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return await promise;
  // It may still reject, and then nothing waits for it.
  promise.catch(() => undefined);
  signal.throwIfAborted();
  let listening: Disposable | undefined;
  const aborted = new Promise<never>((_, reject) => {
    listening = onAbort(signal, () => reject(signal.reason));
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    listening?.[Symbol.dispose]();
  }
}
