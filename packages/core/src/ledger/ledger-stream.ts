// The store's events: followed while the member takes part, reopened whenever the stream fails or
// gets stuck, and distributed to the registers.

import { follow } from '../async/follow.ts';
import type { BackOff } from '../async/retry.ts';
import { untilAborted } from '../async/until-aborted.ts';
import type { Host } from '../contract/backend.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import type { NewTimer } from '../engine/driver.ts';
import type { HealthReporter } from '../engine/health-reporter.ts';
import { manyListeners } from '../process/many-listeners.ts';
import type { Ledger, LedgerEvent } from './ledger.ts';
import { ReadingWatch } from './reading-watch.ts';

/** An event of one register. */
export type RegisterEvent =
  | (LedgerEvent & { readonly kind: 'record' | 'restarted' })
  | { readonly kind: 'end'; readonly partition: number };

/** The dependencies of `NewsStream`. */
export interface LedgerStreamParts {
  readonly ledger: Ledger;
  readonly host: Host;
  readonly health: HealthReporter;
  readonly group: string;
  readonly thresholdMs: number;
  /** The registers to read. */
  readonly partitions: readonly number[];
  readonly backOff: BackOff;
  /** Once this aborts, nothing more is read. */
  readonly signal: AbortSignal;
  readonly timer: NewTimer;
  readonly learn: (event: RegisterEvent) => void;
  /** Returns whether this member considers itself the leader of the partition. */
  readonly believes: (partition: number) => boolean;
  /** Receives the error of a failed stream. Returns `false` to stop following. */
  readonly broke: (error: unknown) => boolean;
}

/** Follows the events of the store for one member. */
export class LedgerStream {
  readonly #parts: LedgerStreamParts;
  readonly #reading: ReadingWatch;
  /** The registers whose reread was requested and that have not restarted yet. */
  readonly #asked = new Set<number>();
  /** Aborts the current stream. */
  #over = new AbortController();

  constructor(parts: LedgerStreamParts) {
    this.#parts = parts;
    const { host, health, thresholdMs, timer } = parts;
    this.#reading = new ReadingWatch({
      clock: host.clock,
      limitMs: thresholdMs,
      checkAt: timer(() => this.#reading.check()),
      overdue: (sentence, partitions) => this.#overdue(sentence, partitions),
      caughtUp: () => health.mend('reading'),
      stuck: () => this.#stuck(),
    });
  }

  /** Follows the events until the signal aborts, or until `broke` returns `false`. */
  follow(): void {
    const { host, partitions, backOff, signal, learn, health } = this.#parts;
    const broke = (error: unknown): boolean => {
      // The error of the stream is more specific than the report of a slow reading.
      health.mend('reading');
      const goesOn = this.#parts.broke(error);
      if (!goesOn) this.#reading.gaveUp();
      return goesOn;
    };
    const reopened = (): void => {
      for (const partition of partitions) learn({ kind: 'restarted', partition });
    };
    void follow(
      {
        open: (until) => this.#open(until),
        each: (event) => this.#receive(event),
        broke,
        reopened,
      },
      backOff,
      host.clock,
      signal,
    );
  }

  /** Requests a reread of the register. */
  reread(partition: number): void {
    this.#reading.begun(partition);
    this.#asked.add(partition);
    this.#parts.health.attempt('reread', () => this.#parts.ledger.reread(partition));
  }

  #open(until: AbortSignal): AsyncIterable<LedgerEvent> {
    const { ledger, partitions } = this.#parts;
    this.#over = new AbortController();
    this.#asked.clear();
    this.#reading.opened(partitions);
    // An adapter may have a request for each partition under way.
    const signal = manyListeners(AbortSignal.any([until, this.#over.signal]));
    return untilAborted(ledger.events(partitions, signal), signal);
  }

  #receive(event: LedgerEvent): void {
    const { host, health, group } = this.#parts;
    this.#reading.received();
    if (event.kind === 'unreadable') return this.#doubt(event.partition, event.error);
    health.confirm('events');
    if (event.kind === 'ignored') host.ignored(event.what);
    else if (event.kind === 'record' && event.record.group !== group) host.ignored('foreign-group');
    else if (event.kind === 'end') for (const partition of event.partitions) this.#ended(partition);
    else this.#learn(event);
  }

  #learn(event: LedgerEvent & { readonly kind: 'record' | 'restarted' }): void {
    if (event.kind === 'restarted') {
      this.#asked.delete(event.partition);
      this.#reading.begun(event.partition);
    }
    this.#parts.learn(event);
  }

  #ended(partition: number): void {
    const { health, learn } = this.#parts;
    health.mend(reading(partition));
    this.#reading.ended(partition);
    learn({ kind: 'end', partition });
  }

  /**
   * Processes a register that cannot be read. A member that does not lead there claims nothing
   * until the register was read to its end again (L11). A leader continues as long as the store
   * accepts its renewals.
   */
  #doubt(partition: number, error: unknown): void {
    const { health, learn, believes } = this.#parts;
    health.raise(reading(partition), error);
    if (!believes(partition)) learn({ kind: 'restarted', partition });
    // The failure is reported, and the ledger retries by itself.
    this.#reading.ended(partition);
  }

  /**
   * Processes overdue readings. Repeats rereads, because the request may have been lost. Reports
   * the delay only if no other trouble explains it.
   */
  #overdue(sentence: string, partitions: readonly number[]): void {
    const { health } = this.#parts;
    for (const partition of partitions) if (this.#asked.has(partition)) this.reread(partition);
    if (!health.has('events') && !health.has('reading'))
      health.raise('reading', new LeadershipError('unreachable', sentence));
  }

  #stuck(): void {
    const ms = Math.round(this.#parts.thresholdMs);
    const sentence = `the store delivered nothing for ${ms} ms (thresholdMs) or longer, although registers are being read; the stream is reopened`;
    this.#over.abort(new LeadershipError('unreachable', sentence));
  }
}

/** Returns the topic of troubles with reads of one register. */
function reading(partition: number): string {
  return `read ${partition}`;
}
