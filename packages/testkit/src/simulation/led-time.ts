// For how long a partition was led, of whichever protocol that says when belief ends at the latest.
import type { Real } from './clock.ts';

/** The time one partition was led. */
export interface LedTime {
  /** Up to this instant, as things stand. */
  ledUntil: Real;
  ledMs: number;
}

/** Belief reaches to `until`, as things stand. */
export function noteLed(time: LedTime, now: Real, until: Real): void {
  if (until <= time.ledUntil) return;
  time.ledMs += until - Math.max(now, time.ledUntil);
  time.ledUntil = until;
}

/** Belief has ended now, sooner than it might have. */
export function noteEnded(time: LedTime, now: Real): void {
  if (time.ledUntil <= now) return;
  time.ledMs -= time.ledUntil - now;
  time.ledUntil = now;
}

/** The share of time up to now in which nobody led, over all partitions. */
export function leaderlessShare(times: readonly LedTime[], now: Real): number {
  const led = times.reduce((sum, { ledMs, ledUntil }) => sum + ledMs - Math.max(0, ledUntil - now), 0);
  return Math.max(0, 1 - led / (times.length * now));
}
