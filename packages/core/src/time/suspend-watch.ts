// Linux's monotonic clock stands still while the machine sleeps, and boot time does not (H6): an excess of the one over the
// other is time that no deadline saw.
import { existsSync } from 'node:fs';
import { uptime } from 'node:os';
import type { Instant } from './instant.ts';
import { monotonicClock } from './monotonic-clock.ts';

/** Boot time comes in steps of 10 ms; twice that is no rounding any more. Milliseconds. */
const excessMsMax = 20;
/** Two monotonic reads further apart than this do not bracket anything: the process was preempted between them. Milliseconds. */
const bracketMsMax = 5;

/** Says whether the machine slept since it was last asked. */
export interface SuspendWatch {
  slept(): boolean;
}

/**
 * The watch for this platform. Elsewhere than on Linux the monotonic clock runs on through sleep, so that deadlines pass by
 * themselves. Without /proc, as in some sandboxes, boot time comes in whole seconds: too coarse to tell sleep by.
 */
export function systemSuspendWatch(): SuspendWatch {
  const canTell = process.platform === 'linux' && existsSync('/proc/uptime');
  return canTell ? suspendWatch(monotonicClock.now, () => uptime() * 1000) : { slept: () => false };
}

/** `bootMs` is milliseconds since boot, counted through sleep. */
export function suspendWatch(now: () => Instant, bootMs: () => number): SuspendWatch {
  const look = (): number | undefined => {
    const before = now();
    const aheadMs = bootMs() - before;
    return now() - before <= bracketMsMax ? aheadMs : undefined;
  };
  let knownMs = look();
  return {
    slept() {
      const aheadMs = look();
      if (aheadMs === undefined) return false;
      const excessMs = aheadMs - (knownMs ?? aheadMs);
      // The smallest offset seen is the truest: rounding and preemption only ever add to it.
      if (knownMs === undefined || excessMs < 0 || excessMs > excessMsMax) knownMs = aheadMs;
      return excessMs > excessMsMax;
    },
  };
}
