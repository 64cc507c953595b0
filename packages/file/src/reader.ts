import { after, type Clock, type Instant, never } from '@leadership/core/backend';
import type { LedgerNews } from '@leadership/core/ledger';
import { fileError } from './errors.ts';
import type { Register } from './register.ts';

/** What reading needs of its ledger. */
export interface Reading {
  readonly clock: Clock;
  /** How long after a failure is tried again, from the first to the last. Milliseconds. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** In [0, 1). */
  readonly random: () => number;
}

const nothing: readonly LedgerNews[] = [];

/** Reads one register. What is wrong with it is news, and no failure of the others; it is tried again by itself, less and less often. */
export class Reader {
  readonly register: Register;
  readonly #reading: Reading;
  #waitMs: number;
  #retryAt: Instant = never;

  constructor(register: Register, reading: Reading) {
    this.register = register;
    this.#reading = reading;
    this.#waitMs = reading.firstMs;
  }

  /** When it is tried again; `never` while nothing is wrong. */
  get retryAt(): Instant {
    return this.#retryAt;
  }

  open(): Promise<readonly LedgerNews[]> {
    return this.#guarded(() => this.register.open());
  }

  /** Looks whether there is reason to look. */
  poll(): Promise<readonly LedgerNews[]> | readonly LedgerNews[] {
    if (this.#retryAt !== never) return nothing;
    return this.#guarded(() => this.register.poll().then(() => nothing));
  }

  /** Whether there is reason to look, and it is not left alone for a while. */
  isStirring(): boolean {
    return this.register.isStirring() && (this.#retryAt === never || this.#reading.clock.now() >= this.#retryAt);
  }

  /** What came since, as far as there is reason to look. */
  look(): Promise<readonly LedgerNews[]> | readonly LedgerNews[] {
    return this.isStirring() ? this.#guarded(() => this.register.look()) : nothing;
  }

  async #guarded(read: () => Promise<readonly LedgerNews[]>): Promise<readonly LedgerNews[]> {
    try {
      const news = await read();
      this.#retryAt = never;
      this.#waitMs = this.#reading.firstMs;
      return news;
    } catch (error) {
      return [this.#rest(error)];
    }
  }

  #rest(error: unknown): LedgerNews {
    const { clock, lastMs, random } = this.#reading;
    const { place, directory } = this.register;
    this.#retryAt = after(clock.now(), this.#waitMs * (0.5 + random() / 2));
    this.#waitMs = Math.min(2 * this.#waitMs, lastMs);
    this.register.forget();
    return { kind: 'unreadable', partition: place.partition, error: fileError(error, directory) };
  }
}
