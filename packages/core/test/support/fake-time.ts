import { vi } from 'vitest';

/** Lets vitest's fake time pass, and everything happen that happens in it. */
export async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

/** Lets fake time pass until the promise has settled; a minute of it at most. */
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
