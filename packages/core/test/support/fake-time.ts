import { vi } from 'vitest';

/** Advances vitest's fake time, and runs everything that is due in it. */
export async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

/** Advances fake time until the promise has settled, for at most a minute. */
export async function passUntil<T>(promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = (): void => {
    isSettled = true;
  };
  promise.then(settle, settle);
  for (let step = 0; step < 6000 && !isSettled; step += 1) await pass(10);
  if (!isSettled) throw new Error('still pending after a minute of fake time');
  return await promise;
}
