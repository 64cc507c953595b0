import type { Clock } from './clock.ts';
import type { Instant } from './instant.ts';

/** The longest delay that `setTimeout` supports. Milliseconds. */
const delayMsMax = 2 ** 31 - 1;

/**
 * The process's monotonic clock. It reads the `performance` global in every call, so that fake
 * timers work.
 */
export const monotonicClock: Clock = {
  now: () => performance.now() as Instant,
  wallMicros: () => Date.now() * 1000,
  wake(at, news) {
    // setTimeout may fire up to a millisecond early. Then the clock decides, and the timer is set
    // again.
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isUnref = false;
    const arm = (): void => {
      timer = setTimeout(ring, Math.min(Math.max(0, Math.ceil(at - performance.now())), delayMsMax));
      if (isUnref) timer.unref();
    };
    const ring = (): void => (performance.now() >= at ? news() : arm());
    arm();
    const unref = (): void => {
      isUnref = true;
      timer?.unref();
    };
    return { unref, [Symbol.dispose]: () => clearTimeout(timer) };
  },
};
