// Notices that the machine slept, so that no member leads on afterwards (H6). Linux's monotonic
// clock stops while the machine sleeps, but boot time continues. If boot time advanced more than
// the monotonic clock, deadlines have missed the difference.
import { existsSync } from 'node:fs';
import { uptime } from 'node:os';
import type { Instant } from './instant.ts';
import { monotonicClock } from './monotonic-clock.ts';

/** Boot time has steps of 10 ms; a difference above twice that is not rounding. Milliseconds. */
const excessMsMax = 20;
/**
 * The largest distance between the two monotonic reads around a boot-time read. Above it, the
 * process was preempted and the sample is useless. Milliseconds.
 */
const bracketMsMax = 5;

/** Detects whether the machine slept since the last call. */
export interface SuspendWatch {
  slept(): boolean;
}

/**
 * Returns the suspend watch of this platform. On other platforms than Linux the monotonic clock
 * continues during sleep, so deadlines pass by themselves. Without /proc, as in some sandboxes,
 * boot time has a resolution of a second, which is too coarse to detect sleep.
 */
export function systemSuspendWatch(): SuspendWatch {
  const canDetect = process.platform === 'linux' && existsSync('/proc/uptime');
  return canDetect
    ? suspendWatch(monotonicClock.now, () => uptime() * 1000)
    : { slept: () => false };
}

/** Creates a suspend watch. `bootMs` returns the milliseconds since boot, including sleep. */
export function suspendWatch(now: () => Instant, bootMs: () => number): SuspendWatch {
  const read = (): number | undefined => {
    const before = now();
    const aheadMs = bootMs() - before;
    return now() - before <= bracketMsMax ? aheadMs : undefined;
  };
  let knownMs = read();
  return {
    slept() {
      const aheadMs = read();
      if (aheadMs === undefined) return false;
      const excessMs = aheadMs - (knownMs ?? aheadMs);
      // Keep the smallest offset, because rounding and preemption only ever increase it.
      if (knownMs === undefined || excessMs < 0 || excessMs > excessMsMax) knownMs = aheadMs;
      return excessMs > excessMsMax;
    },
  };
}
