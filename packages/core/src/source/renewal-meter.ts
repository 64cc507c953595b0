import type { Instant } from '../time/instant.ts';
import type { HealthTracker } from './health-tracker.ts';

/** How long a value counts at least, and at most twice that. Milliseconds. */
const windowMs = 60_000;

/** Measures the proofs of leadership, on every backend. */
export interface RenewalMeter {
  /**
   * A proof that was requested at `sentAt` has arrived. `until` is the end of the lease that it
   * prolongs, or `undefined` if it begins a term.
   */
  arrived(now: Instant, sentAt: Instant, until: Instant | undefined): void;
}

/** Reports the slowest renewal and the smallest margin of the last minutes to `health()`. */
export function renewalMeter(tracker: Pick<HealthTracker, 'measured'>): RenewalMeter {
  const slowest = recent(Math.max);
  const least = recent(Math.min);
  return {
    arrived(now, sentAt, until) {
      tracker.measured('renewalMs', slowest(now, now - sentAt));
      if (until !== undefined) tracker.measured('leaseMarginMs', least(now, until - now));
    },
  };
}

/** Returns a function that adds a value, and returns the worst one of the last minutes. */
function recent(worse: (a: number, b: number) => number) {
  let endsAt = Number.NEGATIVE_INFINITY;
  let before: number | undefined;
  let current: number | undefined;
  return (now: Instant, value: number): number => {
    if (now >= endsAt) {
      before = now < endsAt + windowMs ? current : undefined;
      current = undefined;
      endsAt = now + windowMs;
    }
    current = current === undefined ? value : worse(current, value);
    return before === undefined ? current : worse(before, current);
  };
}
