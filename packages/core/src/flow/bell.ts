import type { Clock } from '../time/clock.ts';
import type { Instant } from '../time/instant.ts';

/** Wakes the one who waits for it. */
export interface Bell {
  /** Wakes the one who waits, or whoever waits next. */
  ring(): void;
  /** Resolves once it has rung since the last wait, or at `at`. For one waiter at a time. */
  until(at: Instant): Promise<void>;
}

/** A bell that also wakes by `clock`. Nothing is left behind once a wait is over. */
export function bell(clock: Clock): Bell {
  let rung = false;
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
    ring() {
      rung = true;
      wake();
    },
    async until(at) {
      if (!rung) await wait(at);
      rung = false;
    },
  };
}
