// Limits what a member accepts or sends per second.
import type { Instant } from '@leadership/core/adapter';

/** A rate limit: `perSecond` units a second, and a burst of some of them at once. */
export class RateLimit {
  readonly #perMs: number;
  readonly #max: number;
  #left: number;
  #at: Instant;

  /** An unused limit allows the units of `burstMs` at once. Milliseconds. */
  constructor(perSecond: number, burstMs: number, now: Instant) {
    this.#perMs = perSecond / 1000;
    this.#max = this.#perMs * burstMs;
    this.#left = this.#max;
    this.#at = now;
  }

  /**
   * Takes `count` units, even beyond the limit. Returns how long to wait until the rate is within
   * the limit again, 0 if it is. Milliseconds.
   */
  take(count: number, now: Instant): number {
    this.#left = Math.min(this.#max, this.#left + (now - this.#at) * this.#perMs) - count;
    this.#at = now;
    return this.#left >= 0 ? 0 : -this.#left / this.#perMs;
  }

  /** Takes `count` units if they are left, and none otherwise. Returns whether they were left. */
  tryTake(count: number, now: Instant): boolean {
    this.take(0, now);
    if (this.#left < count) return false;
    this.#left -= count;
    return true;
  }
}
