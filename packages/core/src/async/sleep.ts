import type { Clock } from '../time/clock.ts';
import { after } from '../time/instant.ts';

/**
 * Resolves after `ms` milliseconds by `clock`, or immediately when the signal aborts. Never
 * rejects.
 */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      timer[Symbol.dispose]();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.wake(after(clock.now(), ms), done);
    signal.addEventListener('abort', done, { once: true });
  });
}
