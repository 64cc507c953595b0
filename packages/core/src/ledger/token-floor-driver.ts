// The calls of one member to the ledger's second place for tokens. Registers that need the floor at
// the same time share one read, and claims that are sent at the same time share one write.

import { latestValue } from '../async/latest-value.ts';
import { type BackOff, retry } from '../async/retry.ts';
import { withTimeout } from '../async/with-timeout.ts';
import type { Host } from '../contract/backend.ts';
import type { HealthReporter } from '../engine/health-reporter.ts';
import type { Instant } from '../time/instant.ts';
import type { TokenFloor } from './ledger.ts';

/** The source of trouble while the floor cannot be read. */
const source = 'token floor';

/** The floor, and the instant before the read began. */
interface FloorRead {
  readonly token: bigint;
  readonly askedAt: Instant;
}

/** The dependencies of the driver. */
export interface TokenFloorParts {
  readonly floor: TokenFloor;
  readonly host: Pick<Host, 'clock'>;
  readonly health: HealthReporter;
  /** The time limit of one call. Milliseconds. */
  readonly limitMs: number;
  readonly backOff: BackOff;
  readonly signal: AbortSignal;
  /** Receives the floor for one partition. */
  readonly learn: (partition: number, read: FloorRead) => void;
}

export class TokenFloorDriver {
  readonly #parts: TokenFloorParts;
  /** The partitions that need a read that starts from now on. */
  #waiting = new Set<number>();
  readonly #asked = latestValue<'asked'>();
  /** The greatest token that this member has raised the floor to. */
  #raised = -1n;
  /** The greatest token that the next raise must reach. */
  #wanted = -1n;
  #current: Promise<void> = Promise.resolve();
  /** The raise that follows the current one. */
  #next: Promise<void> | undefined;

  constructor(parts: TokenFloorParts) {
    this.#parts = parts;
    const { health, backOff, host, signal } = parts;
    const broke = (error: unknown): true => {
      health.raise(source, error);
      return true;
    };
    void retry(
      { attempt: (succeeded) => this.#readAsked(succeeded), broke },
      backOff,
      host.clock,
      signal,
    );
  }

  /** Reads the floor for a partition. A failed read is a trouble, and is repeated. */
  read(partition: number): void {
    this.#waiting.add(partition);
    this.#asked.set('asked');
  }

  /**
   * Raises the floor at least to `token`. Resolves at once if this member has done so before.
   * Rejects if the outcome is unknown.
   */
  raise(token: bigint): Promise<void> {
    if (token <= this.#raised) return Promise.resolve();
    if (token > this.#wanted) this.#wanted = token;
    this.#next ??= this.#current.catch(() => undefined).then(() => this.#raiseNext());
    return this.#next;
  }

  async #readAsked(succeeded: () => void): Promise<void> {
    for await (const _ of this.#asked.follow(this.#parts.signal)) {
      await this.#readOnce();
      succeeded();
    }
  }

  /** Reads for all partitions that wait. A partition that asks meanwhile gets a read of its own. */
  async #readOnce(): Promise<void> {
    const { floor, host, health, learn } = this.#parts;
    const served = this.#waiting;
    if (served.size === 0) return;
    this.#waiting = new Set();
    const askedAt = host.clock.now();
    try {
      const token = await this.#within((until) => floor.read(until));
      health.confirm(source);
      for (const partition of served) learn(partition, { token, askedAt });
    } catch (error) {
      for (const partition of served) this.#waiting.add(partition);
      throw error;
    }
  }

  #raiseNext(): Promise<void> {
    const token = this.#wanted;
    this.#next = undefined;
    if (token <= this.#raised) return Promise.resolve();
    this.#current = this.#within((until) => this.#parts.floor.raise(token, until)).then(() => {
      if (token > this.#raised) this.#raised = token;
    });
    return this.#current;
  }

  #within<T>(call: (until: AbortSignal) => Promise<T>): Promise<T> {
    const { host, limitMs, signal } = this.#parts;
    return withTimeout({ clock: host.clock, limitMs, signal }, call);
  }
}
