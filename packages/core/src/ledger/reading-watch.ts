import type { Clock } from '../time/clock.ts';
import { after, type Instant, longAgo, never } from '../time/instant.ts';
import { pinRegister } from './record.ts';

/** What the watch needs, and what it tells. */
export interface ReadingWatchParts {
  readonly clock: Clock;
  /** How long reading a register may take. Milliseconds. */
  readonly limitMs: number;
  /** `check` is to be called then. */
  readonly checkAt: (at: Instant) => void;
  /** Registers are not read in time: says which, in words, and which ones those are. */
  readonly overdue: (message: string, partitions: readonly number[]) => void;
  /** Every register has been read to its end. */
  readonly caughtUp: () => void;
  /** The news are stuck: they brought nothing for too long, although a reading is under way. */
  readonly stuck: () => void;
}

/** A second look follows the first one that finds something, after this fraction of the limit. */
const secondLook = 20;

/**
 * How long news that were just opened may bring nothing, in limits: a store may have to be prepared first, a table to be made.
 * Doubles with every opening that brought nothing.
 */
const openingLimits = 10;

/**
 * Notices registers that are not read to their end in time. News that stop look like news that have nothing to say, so a read
 * that is never answered would otherwise leave a register without a leader, and nobody would know.
 */
export class ReadingWatch {
  readonly #parts: ReadingWatchParts;
  /** Since when each register is being read, the longest first. */
  readonly #since = new Map<number, Instant>();
  /** When the news brought anything last, or were opened. */
  #heardAt: Instant = longAgo;
  /** How long they may bring nothing. */
  #silenceMs = 0;
  #openingMs: number;
  /** Whether it was too late at the last look. */
  #isLate = false;

  constructor(parts: ReadingWatchParts) {
    this.#parts = parts;
    this.#openingMs = openingLimits * parts.limitMs;
  }

  /** The news are opened, which reads every register. */
  opened(partitions: readonly number[]): void {
    this.#heardAt = this.#parts.clock.now();
    this.#silenceMs = this.#openingMs;
    this.#openingMs *= 2;
    for (const partition of partitions) this.begun(partition);
  }

  /** The register is being read, or was asked for. */
  begun(partition: number): void {
    if (this.#since.has(partition)) return;
    this.#since.set(partition, this.#parts.clock.now());
    if (this.#since.size === 1) this.#parts.checkAt(this.#dueAt());
  }

  /** The register has been read to its end, or is known to be unreadable. */
  ended(partition: number): void {
    if (!this.#since.delete(partition) || this.#since.size > 0) return;
    this.#isLate = false;
    this.#parts.caughtUp();
  }

  /** The news brought something. */
  heard(): void {
    const { clock, limitMs } = this.#parts;
    this.#heardAt = clock.now();
    this.#silenceMs = limitMs;
    this.#openingMs = openingLimits * limitMs;
  }

  /** Nothing is read any more, so nothing is late. */
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
    // After a blocked event loop the timer may come before news that have long arrived: they are let in first.
    if (!wasLate) return checkAt(after(now, limitMs / secondLook));
    overdue(this.#sentence(), this.#overdueAt(now));
    if (now >= after(this.#heardAt, this.#silenceMs)) stuck();
    checkAt(after(now, limitMs));
  }

  #dueAt(): Instant {
    const [first] = this.#since.values();
    return first === undefined ? never : after(first, this.#parts.limitMs);
  }

  #overdueAt(now: Instant): number[] {
    const { limitMs } = this.#parts;
    return [...this.#since].filter(([, since]) => now >= after(since, limitMs)).map(([partition]) => partition);
  }

  #sentence(): string {
    const [first = pinRegister] = this.#since.keys();
    const name = first === pinRegister ? "the group's pin" : `partition ${first}`;
    const others = this.#since.size - 1;
    const rest = others === 0 ? '' : ` and ${others} other ${others === 1 ? 'register' : 'registers'}`;
    return `${name}${rest} could not be read to the end within ${Math.round(this.#parts.limitMs)} ms (thresholdMs); this member claims nothing there until then`;
  }
}
