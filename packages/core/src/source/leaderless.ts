// Detects partitions that have had no known leader for longer than a fail-over takes. A change costs
// one number, because every grant is one. A single timer looks through all partitions.
import type { Capacity } from '../contract/backend.ts';
import type { Guarantees } from '../contract/guarantees.ts';
import type { Clock } from '../time/clock.ts';
import { after, type Instant, longAgo, never } from '../time/instant.ts';
import type { Complaint } from './health-tracker.ts';
import { failoverMsOf } from './role-tools.ts';

/** The maximum number of partitions that the message names. */
const namedMax = 10;

/**
 * Returns how long a partition may be without a known leader before it is a trouble: two
 * fail-overs, the wait of a cold start (L5), and T. Milliseconds.
 */
export function leaderlessMs(
  guarantees: Guarantees,
  thresholdMs: number,
  thresholdMsMax: number,
): number {
  return Math.ceil(2 * failoverMsOf(guarantees, thresholdMs) + thresholdMsMax + thresholdMs);
}

/** Watches the partitions of a source. */
export interface Leaderless extends Disposable {
  /**
   * Starts the watch once the source is ready. From then on a leader of each partition should be
   * known.
   */
  start(): void;
  /** Sets whether a leader of the partition is known. */
  set(partition: number, isKnown: boolean): void;
  /** Sets whether leaders should be known. If not, the watch pauses, and its trouble ends. */
  expect(isExpected: boolean): void;
  /** Sets that the candidates may lead fewer partitions than there are (M13); `undefined`: all. */
  limit(capacity: Capacity | undefined): void;
  /** Returns what was set last. */
  capacity(): Capacity | undefined;
  /** Stops the watch and ends its trouble, because another source watches instead. */
  retire(): void;
}

/** The dependencies of the watch. */
export interface LeaderlessParts {
  readonly partitions: number;
  readonly clock: Clock;
  readonly limitMs: number;
  readonly trouble: (complaint: Complaint) => Disposable;
  /** Returns the limit that another source knows, if this one learns of none by itself. */
  readonly capacity?: () => Capacity | undefined;
}

export function leaderless(parts: LeaderlessParts): Leaderless {
  return new LeaderlessWatch(parts);
}

class LeaderlessWatch implements Leaderless {
  readonly #parts: LeaderlessParts;
  /**
   * When a partition without a known leader is due to be reported: `never` if its leader is known,
   * `longAgo` if it was reported.
   */
  readonly #dueAt: Instant[];
  /** The number of reported partitions. */
  #reported = 0;
  #isStarted = false;
  #isPaused = false;
  #isOver = false;
  #timer: Disposable | undefined;
  #trouble: Disposable | undefined;
  #message = '';
  #capacity: Capacity | undefined;

  constructor(parts: LeaderlessParts) {
    this.#parts = parts;
    const dueAt = this.#nextDueAt();
    this.#dueAt = Array.from({ length: parts.partitions }, () => dueAt);
  }

  start(): void {
    if (this.#isStarted || this.#isOver) return;
    this.#isStarted = true;
    const dueAt = this.#nextDueAt();
    for (const [partition, at] of this.#dueAt.entries())
      if (at !== never) this.#dueAt[partition] = dueAt;
    this.#arm();
  }

  set(partition: number, isKnown: boolean): void {
    if (isKnown === (this.#dueAt[partition] === never) || this.#isOver) return;
    if (isKnown) this.#appeared(partition);
    else this.#vanished(partition);
  }

  expect(isExpected: boolean): void {
    if (this.#isOver || isExpected !== this.#isPaused) return;
    this.#isPaused = !isExpected;
    this.#beginAgain();
    if (isExpected && this.#isStarted) this.#arm();
  }

  limit(capacity: Capacity | undefined): void {
    this.#capacity = capacity;
    if (this.#reported === 0) return;
    if (capacity !== undefined) return this.#report();
    // Its cause is over. Another one is reported once it has lasted.
    this.#beginAgain();
    if (this.#isStarted) this.#arm();
  }

  capacity(): Capacity | undefined {
    return this.#capacity ?? this.#parts.capacity?.();
  }

  /** Ends the trouble, and counts again from now on. */
  #beginAgain(): void {
    const dueAt = this.#nextDueAt();
    for (const [partition, at] of this.#dueAt.entries())
      if (at !== never) this.#dueAt[partition] = dueAt;
    this.#reported = 0;
    this.#report();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  retire(): void {
    this[Symbol.dispose]();
    this.#trouble?.[Symbol.dispose]();
  }

  #appeared(partition: number): void {
    const wasReported = this.#dueAt[partition] === longAgo;
    this.#dueAt[partition] = never;
    if (wasReported) this.#reappeared();
  }

  #vanished(partition: number): void {
    this.#dueAt[partition] = this.#nextDueAt();
    if (this.#isStarted) this.#arm();
  }

  /** A reported partition has a leader. The timer updates the message, once for many partitions. */
  #reappeared(): void {
    this.#reported -= 1;
    if (this.#reported === 0) this.#report();
    else this.#arm();
  }

  #nextDueAt(): Instant {
    const { clock, limitMs } = this.#parts;
    return after(clock.now(), limitMs);
  }

  /**
   * Sets the single timer, if it is not set. Partitions become due in the order in which they lost
   * their leader, so a timer that is set is due before all that follow.
   */
  #arm(): void {
    if (this.#timer !== undefined || this.#isPaused) return;
    const first = this.#firstDueAt();
    if (first === never && this.#reported === 0) return;
    const timer = this.#parts.clock.wake(first === never ? this.#nextDueAt() : first, () => {
      this.#timer = undefined;
      this.#check();
    });
    timer.unref?.();
    this.#timer = timer;
  }

  /** Returns when the next partition is due that is not yet reported, or `never`. */
  #firstDueAt(): Instant {
    let first = never;
    for (const at of this.#dueAt) if (at !== longAgo && at < first) first = at;
    return first;
  }

  #check(): void {
    if (this.#isPaused) return;
    const now = this.#parts.clock.now();
    for (const [partition, at] of this.#dueAt.entries()) {
      if (at > now || at === longAgo) continue;
      this.#dueAt[partition] = longAgo;
      this.#reported += 1;
    }
    this.#report();
    if (this.#firstDueAt() !== never) this.#arm();
  }

  #report(): void {
    const reported = [...this.#dueAt.keys()].filter((at) => this.#dueAt[at] === longAgo);
    const message = reported.length === 0 ? '' : sentence(reported, this.#parts, this.capacity());
    if (message === this.#message) return;
    this.#message = message;
    this.#trouble?.[Symbol.dispose]();
    this.#trouble =
      message === '' ? undefined : this.#parts.trouble({ code: 'leaderless', message });
  }
}

function sentence(
  reported: readonly number[],
  { partitions, limitMs }: LeaderlessParts,
  capacity: Capacity | undefined,
): string {
  const named = reported.slice(0, namedMax).join(', ');
  const more = reported.length > namedMax ? ` and ${reported.length - namedMax} more` : '';
  const which =
    reported.length === 1
      ? `partition ${named}`
      : `${reported.length} of ${partitions} partitions (${named}${more})`;
  const what = `no leader of ${which} has been known for ${limitMs} ms`;
  const missing = capacity === undefined ? 0 : partitions - capacity.partitions;
  if (capacity === undefined || missing === 0)
    return `${what}; check the other troubles and the health of the other members`;
  const stand =
    capacity.members === 1
      ? '1 member stands, and may lead'
      : `${capacity.members} members stand, and together may lead`;
  const rest = reported.length > missing ? '; check the other troubles too' : '';
  return `${what}: ${stand} ${capacity.partitions} of ${partitions} (campaign.partitionsMax), so ${missing} ${missing === 1 ? 'has' : 'have'} no leader; start more members, or let them lead more partitions${rest}`;
}
