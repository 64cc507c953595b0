import type { Clock } from '../time/clock.ts';
import type { Instant } from '../time/instant.ts';

/** A wake-up signal for a single waiter. */
export interface Notifier {
  /** Wakes the waiter, or the next call of `until`. */
  notify(): void;
  /**
   * Resolves once `notify` was called since the last wait, or at `at`. Supports one waiter at a time.
   */
  until(at: Instant): Promise<void>;
}

/** Creates a notifier whose waits end by `clock`. A finished wait leaves no timer behind. */
export function notifier(clock: Clock): Notifier {
  let notified = false;
  let wake = (): void => undefined;
  const wait = (at: Instant): Promise<void> =>
    new Promise((resolve) => {
      const timer = clock.wake(at, resolve);
      wake = () => {
        timer[Symbol.dispose]();
        resolve();
      };
    });
  return {
    notify() {
      notified = true;
      wake();
    },
    async until(at) {
      if (!notified) await wait(at);
      notified = false;
    },
  };
}
