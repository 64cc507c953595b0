// Reads one register (the lease of one partition) for the ledger, and limits what an error of the
// disk affects.
import type { Clock, Instant } from '@leadership/core/adapter';
import { after, never } from '@leadership/core/internal/engine';
import type { LedgerEvent } from '@leadership/core/internal/lease';
import { fileError } from '../errors.ts';
import type { Register } from './register.ts';

/** The dependencies of a reader. */
export interface Reading {
  readonly clock: Clock;
  /** The first and the longest pause before a retry. Milliseconds. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** Returns a random number in [0, 1). */
  readonly random: () => number;
}

const nothing: readonly LedgerEvent[] = [];

/**
 * Reads one register. An error is returned as news, so that it does not affect other registers, and
 * the read is retried with growing pauses.
 */
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

  /** When to retry; `never` while the register is readable. */
  get retryAt(): Instant {
    return this.#retryAt;
  }

  open(): Promise<readonly LedgerEvent[]> {
    return this.#guarded(() => this.register.open());
  }

  /** Checks for changes that no watch reported. */
  poll(): Promise<readonly LedgerEvent[]> | readonly LedgerEvent[] {
    if (this.#retryAt !== never) return nothing;
    return this.#guarded(() => this.register.poll().then(() => nothing));
  }

  /**
   * Whether the register should be read now: it may have changed, and no retry pause is in effect.
   */
  isChanging(): boolean {
    return (
      this.register.isChanging() &&
      (this.#retryAt === never || this.#reading.clock.now() >= this.#retryAt)
    );
  }

  /** Reads the changes, if the register should be read now. */
  look(): Promise<readonly LedgerEvent[]> | readonly LedgerEvent[] {
    return this.isChanging() ? this.#guarded(() => this.register.look()) : nothing;
  }

  async #guarded(read: () => Promise<readonly LedgerEvent[]>): Promise<readonly LedgerEvent[]> {
    try {
      const updates = await read();
      this.#retryAt = never;
      this.#waitMs = this.#reading.firstMs;
      return updates;
    } catch (error) {
      return [this.#rest(error)];
    }
  }

  #rest(error: unknown): LedgerEvent {
    const { clock, lastMs, random } = this.#reading;
    const { place, directory } = this.register;
    this.#retryAt = after(clock.now(), this.#waitMs * (0.5 + random() / 2));
    this.#waitMs = Math.min(2 * this.#waitMs, lastMs);
    this.register.forget();
    return { kind: 'unreadable', partition: place.partition, error: fileError(error, directory) };
  }
}
