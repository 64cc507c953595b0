import type { Clock } from '../time/clock.ts';
import { after, type Instant, longAgo } from '../time/instant.ts';
import type { BackOff } from './retry.ts';

/**
 * A pause between attempts that a server refuses. While it lasts, attempts fail at once with the
 * last error, so that a member that is refused costs the server little.
 */
export class CoolDown {
  readonly #clock: Clock;
  readonly #backOff: BackOff;
  #until: Instant = longAgo;
  #waitMs: number;
  #error: unknown;

  constructor(clock: Clock, backOff: BackOff) {
    this.#clock = clock;
    this.#backOff = backOff;
    this.#waitMs = backOff.firstMs;
  }

  /** Throws the last error if it is too early for another attempt. */
  check(): void {
    if (this.#clock.now() < this.#until) throw this.#error;
  }

  /** Begins a pause, twice as long as the last one. Attempts that fail together begin one pause. */
  failed(error: unknown): void {
    const now = this.#clock.now();
    if (now < this.#until) return;
    const { lastMs, random } = this.#backOff;
    this.#error = error;
    this.#until = after(now, this.#waitMs * (0.5 + random() / 2));
    this.#waitMs = Math.min(2 * this.#waitMs, lastMs);
  }

  /** Ends the pauses. */
  succeeded(): void {
    this.#until = longAgo;
    this.#waitMs = this.#backOff.firstMs;
  }
}
