// Time that is the test's: no machine is too slow for a lease then.
import { vi } from 'vitest';

/** So much of it may pass before something is taken never to happen. Milliseconds. */
const patienceMs = 60_000;

/** Lets fake time pass until the promise has settled. */
export async function passUntil<T>(promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = (): void => {
    isSettled = true;
  };
  promise.then(settle, settle);
  await passWhile(() => !isSettled, 'still pending');
  return await promise;
}

/** Lets fake time pass until `look` throws no more; what it returns then. */
export async function passFor<T>(look: () => T): Promise<T> {
  let last: { readonly seen: T } | undefined;
  let why: unknown;
  const sees = (): boolean => {
    try {
      last = { seen: look() };
    } catch (error) {
      why = error;
    }
    return last !== undefined;
  };
  await passWhile(
    () => !sees(),
    () => why,
  );
  if (last === undefined) throw why;
  return last.seen;
}

async function passWhile(isPending: () => boolean, why: string | (() => unknown)): Promise<void> {
  for (let passedMs = 0; isPending(); passedMs += 2) {
    if (passedMs > patienceMs) throw typeof why === 'string' ? new Error(`${why} after a minute of fake time`) : why();
    await vi.advanceTimersByTimeAsync(2);
  }
}
