import type { Instant } from '../time/instant.ts';

/** How long a value counts at least, and at most twice that. Milliseconds. */
const windowMs = 60_000;

/**
 * Measures the proofs of leadership, on every backend: the slowest renewal and the smallest margin
 * of the last minute or two. Every proof passes here, so the meter has fields of numbers and no
 * more, and `health()` asks for the result.
 */
export class RenewalMeter {
  #endsAt: number = Number.NEGATIVE_INFINITY;
  #slowestMs: number = Number.NEGATIVE_INFINITY;
  #slowestMsBefore: number = Number.NEGATIVE_INFINITY;
  #leastMs: number = Number.POSITIVE_INFINITY;
  #leastMsBefore: number = Number.POSITIVE_INFINITY;

  /**
   * A proof that was requested at `sentAt` has arrived. `until` is the end of the lease that it
   * prolongs; `never` if it begins a term.
   */
  arrived(now: Instant, sentAt: Instant, until: Instant): void {
    if (now >= this.#endsAt) this.#beginWindow(now);
    const renewalMs = now - sentAt;
    const marginMs = until - now;
    if (renewalMs > this.#slowestMs) this.#slowestMs = renewalMs;
    if (marginMs < this.#leastMs) this.#leastMs = marginMs;
  }

  /** Returns what was measured, under the names of `health().measured`. Milliseconds. */
  measured(): Readonly<Record<string, number>> {
    const renewalMs = Math.max(this.#slowestMs, this.#slowestMsBefore);
    const leaseMarginMs = Math.min(this.#leastMs, this.#leastMsBefore);
    return {
      ...(Number.isFinite(renewalMs) && { renewalMs }),
      ...(Number.isFinite(leaseMarginMs) && { leaseMarginMs }),
    };
  }

  #beginWindow(now: Instant): void {
    const isNext = now < this.#endsAt + windowMs;
    this.#slowestMsBefore = isNext ? this.#slowestMs : Number.NEGATIVE_INFINITY;
    this.#leastMsBefore = isNext ? this.#leastMs : Number.POSITIVE_INFINITY;
    this.#slowestMs = Number.NEGATIVE_INFINITY;
    this.#leastMs = Number.POSITIVE_INFINITY;
    this.#endsAt = now + windowMs;
  }
}
