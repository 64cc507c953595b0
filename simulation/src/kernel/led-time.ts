// Measures for how long a partition of a world was led. Works for every protocol that states a
// latest end of belief.
import type { Real } from './clock.ts';

/** The time for which one partition was led. */
export interface LedTime {
  /** Latest end of the current belief. */
  ledUntil: Real;
  ledMs: number;
}

/** Records that belief lasts until `until`, unless it ends early. */
export function noteLed(time: LedTime, now: Real, until: Real): void {
  if (until <= time.ledUntil) return;
  time.ledMs += until - Math.max(now, time.ledUntil);
  time.ledUntil = until;
}

/** Records that belief ended now, before its deadline. */
export function noteEnded(time: LedTime, now: Real): void {
  if (time.ledUntil <= now) return;
  time.ledMs -= time.ledUntil - now;
  time.ledUntil = now;
}

/** Returns the share of time up to now without a leader, over all partitions. */
export function leaderlessShare(times: readonly LedTime[], now: Real): number {
  const led = times.reduce(
    (sum, { ledMs, ledUntil }) => sum + ledMs - Math.max(0, ledUntil - now),
    0,
  );
  return Math.max(0, 1 - led / (times.length * now));
}
