// The clock of a real process, which every source uses unless a test replaces it.
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
  wake(at, callback) {
    // setTimeout may fire up to a millisecond early. Then the clock decides, and the timer is set
    // again.
    let pending: { unref(): unknown } | undefined;
    let cancel = (): void => undefined;
    let isUnref = false;
    const arm = (): void => {
      const delayMs = Math.ceil(at - performance.now());
      // Timers that are due run one after the other. An immediate lets the event loop do its other
      // work first.
      if (delayMs <= 0) {
        const immediate = setImmediate(fire);
        [pending, cancel] = [immediate, () => clearImmediate(immediate)];
      } else {
        const timer = setTimeout(fire, Math.min(delayMs, delayMsMax));
        [pending, cancel] = [timer, () => clearTimeout(timer)];
      }
      if (isUnref) pending.unref();
    };
    const fire = (): void => (performance.now() >= at ? callback() : arm());
    arm();
    const unref = (): void => {
      isUnref = true;
      pending?.unref();
    };
    return { unref, [Symbol.dispose]: () => cancel() };
  },
};
