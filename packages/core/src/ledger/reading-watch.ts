// Notices that the store's stream of events has stopped.
import type { Clock } from '../time/clock.ts';
import { after, type Instant, longAgo, never } from '../time/instant.ts';
import { pinRegister } from './record.ts';

/** What the watch needs, and the callbacks it invokes. */
export interface ReadingWatchParts {
  readonly clock: Clock;
  /** The longest time that reading a register may take. Milliseconds. */
  readonly limitMs: number;
  /** Schedules the next call of `check`. */
  readonly checkAt: (at: Instant) => void;
  /** Registers were not read in time. `message` describes them, `partitions` lists them. */
  readonly overdue: (message: string, partitions: readonly number[]) => void;
  /** Every register has been read to its end. */
  readonly caughtUp: () => void;
  /**
   * The stream of events is stuck: it yielded nothing for too long although a reading is in progress.
   */
  readonly stuck: () => void;
}

/**
 * The watch reports an overdue reading only at a second check, this fraction of the limit after the
 * first.
 */
const secondLook = 20;

/**
 * How many limits a newly opened stream of events may stay silent: the store may have to be prepared
 * first, for example by creating a table. Doubles with every opening that yields nothing.
 */
const openingLimits = 10;

/**
 * Detects registers that are not read to their end in time. A stopped stream looks like one
 * without events, so without this watch a read that is never answered would silently leave a register
 * without a leader.
 */
export class ReadingWatch {
  readonly #parts: ReadingWatchParts;
  /** When the reading of each register began, the longest first. */
  readonly #since = new Map<number, Instant>();
  /** When the stream of events last yielded an item, or was opened. */
  #receivedAt: Instant = longAgo;
  /** How long the stream of events may stay silent. */
  #silenceMs = 0;
  #openingMs: number;
  /** Whether a reading was overdue at the last check. */
  #isLate = false;

  constructor(parts: ReadingWatchParts) {
    this.#parts = parts;
    this.#openingMs = openingLimits * parts.limitMs;
  }

  /** Notes that the stream of events was opened, which starts reading every register. */
  opened(partitions: readonly number[]): void {
    this.#receivedAt = this.#parts.clock.now();
    this.#silenceMs = this.#openingMs;
    this.#openingMs *= 2;
    for (const partition of partitions) this.begun(partition);
  }

  /** Notes that a reading of the register began, or was requested. */
  begun(partition: number): void {
    if (this.#since.has(partition)) return;
    this.#since.set(partition, this.#parts.clock.now());
    if (this.#since.size === 1) this.#parts.checkAt(this.#dueAt());
  }

  /** Notes that the register has been read to its end, or is known to be unreadable. */
  ended(partition: number): void {
    if (!this.#since.delete(partition) || this.#since.size > 0) return;
    this.#isLate = false;
    this.#parts.caughtUp();
  }

  /** Notes that the stream of events yielded an item. */
  received(): void {
    const { clock, limitMs } = this.#parts;
    this.#receivedAt = clock.now();
    this.#silenceMs = limitMs;
    this.#openingMs = openingLimits * limitMs;
  }

  /** Notes that reading has stopped for good, so nothing can be overdue. */
  gaveUp(): void {
    this.#since.clear();
  }

  check(): void {
    const { clock, limitMs, checkAt, overdue, stuck } = this.#parts;
    const now = clock.now();
    const dueAt = this.#dueAt();
    if (dueAt === never) return;
    const wasLate = this.#isLate;
    this.#isLate = now >= dueAt;
    if (!this.#isLate) return checkAt(dueAt);
    // After a blocked event loop, this timer may fire before events that arrived long ago are
    // processed, so check again.
    if (!wasLate) return checkAt(after(now, limitMs / secondLook));
    overdue(this.#sentence(), this.#overdueAt(now));
    if (now >= after(this.#receivedAt, this.#silenceMs)) stuck();
    checkAt(after(now, limitMs));
  }

  #dueAt(): Instant {
    const [first] = this.#since.values();
    return first === undefined ? never : after(first, this.#parts.limitMs);
  }

  #overdueAt(now: Instant): number[] {
    const { limitMs } = this.#parts;
    return [...this.#since]
      .filter(([, since]) => now >= after(since, limitMs))
      .map(([partition]) => partition);
  }

  #sentence(): string {
    const [first = pinRegister] = this.#since.keys();
    const name = first === pinRegister ? "the group's pin" : `partition ${first}`;
    const others = this.#since.size - 1;
    const rest =
      others === 0 ? '' : ` and ${others} other ${others === 1 ? 'register' : 'registers'}`;
    return `${name}${rest} could not be read to the end within ${Math.round(this.#parts.limitMs)} ms (thresholdMs); this member claims nothing there until then`;
  }
}
