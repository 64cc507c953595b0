// Fake time that the test controls, so that no machine is too slow for a lease.
import { vi } from 'vitest';

/** The longest wait for a condition, in fake time. Milliseconds. */
const timeoutMs = 60_000;

/** Advances fake time until the promise has settled. */
export async function passUntil<T>(promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = (): void => {
    isSettled = true;
  };
  promise.then(settle, settle);
  await passWhile(() => !isSettled, 'still pending');
  return await promise;
}

/** Advances fake time until `look` no longer throws. Returns its result. */
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

/** How much faster than real time the fake one passes at most, so that disks can keep up. */
const paceMax = 50;
/** The real clock and the real turn of the event loop, before a test replaces them. */
const [realNs, realTurn] = [process.hrtime.bigint, setImmediate];

async function passWhile(isPending: () => boolean, why: string | (() => unknown)): Promise<void> {
  const beganNs = realNs();
  for (let passedMs = 0; isPending(); passedMs += 2) {
    if (passedMs > timeoutMs)
      throw typeof why === 'string' ? new Error(`${why} after a minute of fake time`) : why();
    await vi.advanceTimersByTimeAsync(2);
    while (passedMs > paceMax * (Number(realNs() - beganNs) / 1e6))
      await new Promise((resolve) => realTurn(resolve));
  }
}
