import type { Instant } from '@leadership/core/backend';

/** So many things a second, and a share of them at once. */
export class Allowance {
  readonly #perMs: number;
  readonly #most: number;
  #left: number;
  #at: Instant;

  /** As long as nothing was taken, what `burstMs` bring may be taken at once. Milliseconds. */
  constructor(perSecond: number, burstMs: number, now: Instant) {
    this.#perMs = perSecond / 1000;
    this.#most = this.#perMs * burstMs;
    this.#left = this.#most;
    this.#at = now;
  }

  /** Takes so many, be they there or not. Says how long it takes until nothing is owed: 0, where nothing is. Milliseconds. */
  take(count: number, now: Instant): number {
    this.#left = Math.min(this.#most, this.#left + (now - this.#at) * this.#perMs) - count;
    this.#at = now;
    return this.#left >= 0 ? 0 : -this.#left / this.#perMs;
  }
}
