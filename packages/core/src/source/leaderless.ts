// Detects partitions that have had no known leader for longer than a fail-over takes. Costs one map
// entry per change, and a single timer.
import type { Guarantees } from '../contract/guarantees.ts';
import type { Clock } from '../time/clock.ts';
import { after, type Instant } from '../time/instant.ts';
import type { Complaint } from './health-tracker.ts';

/** The assumed fail-over time of a source without a bound, in T. */
const unboundedThresholds = 10;
/** The maximum number of partitions that the message names. */
const namedMax = 10;

/**
 * Returns how long a partition may be without a known leader before it is a trouble: two
 * fail-overs, the wait of a cold start (L5), and T. Milliseconds.
 */
export function leaderlessMs(
  { failoverMsMax }: Guarantees,
  thresholdMs: number,
  thresholdMsMax: number,
): number {
  const failoverMs =
    failoverMsMax === 'unbounded' ? unboundedThresholds * thresholdMs : failoverMsMax;
  return Math.ceil(2 * failoverMs + thresholdMsMax + thresholdMs);
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
  /** Stops the watch and ends its trouble, because another source watches instead. */
  retire(): void;
}

/** The dependencies of the watch. */
export interface LeaderlessParts {
  readonly partitions: number;
  readonly clock: Clock;
  readonly limitMs: number;
  readonly trouble: (complaint: Complaint) => Disposable;
}

export function leaderless(parts: LeaderlessParts): Leaderless {
  return new LeaderlessWatch(parts);
}

class LeaderlessWatch implements Leaderless {
  readonly #parts: LeaderlessParts;
  /**
   * Partitions without a known leader, in the order in which they lost it, so that the first is due
   * first.
   */
  readonly #waiting = new Map<number, Instant>();
  readonly #reported = new Set<number>();
  readonly #known = new Set<number>();
  #isStarted = false;
  #isOver = false;
  #timer: Disposable | undefined;
  #trouble: Disposable | undefined;
  #message = '';

  constructor(parts: LeaderlessParts) {
    this.#parts = parts;
  }

  start(): void {
    if (this.#isStarted || this.#isOver) return;
    this.#isStarted = true;
    for (let partition = 0; partition < this.#parts.partitions; partition += 1)
      if (!this.#known.has(partition)) this.#wait(partition);
  }

  set(partition: number, isKnown: boolean): void {
    if (isKnown === this.#known.has(partition) || this.#isOver) return;
    if (isKnown) this.#learn(partition);
    else {
      this.#known.delete(partition);
      if (this.#isStarted) this.#wait(partition);
    }
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

  #learn(partition: number): void {
    this.#known.add(partition);
    this.#waiting.delete(partition);
    if (this.#reported.delete(partition) && this.#reported.size === 0) this.#report();
    // Otherwise the timer updates the message, once for many changes.
    else this.#arm();
  }

  #wait(partition: number): void {
    const { clock, limitMs } = this.#parts;
    this.#waiting.set(partition, after(clock.now(), limitMs));
    this.#arm();
  }

  /** Sets the single timer, which checks what is due and updates the message. */
  #arm(): void {
    if (this.#timer !== undefined || (this.#waiting.size === 0 && this.#reported.size === 0))
      return;
    const { clock, limitMs } = this.#parts;
    const [first] = this.#waiting.values();
    const timer = clock.wake(first ?? after(clock.now(), limitMs), () => {
      this.#timer = undefined;
      this.#check();
    });
    timer.unref?.();
    this.#timer = timer;
  }

  #check(): void {
    const now = this.#parts.clock.now();
    for (const [partition, dueAt] of this.#waiting) {
      if (dueAt > now) break;
      this.#waiting.delete(partition);
      this.#reported.add(partition);
    }
    this.#report();
    if (this.#waiting.size > 0) this.#arm();
  }

  #report(): void {
    const message = this.#reported.size === 0 ? '' : sentence([...this.#reported], this.#parts);
    if (message === this.#message) return;
    this.#message = message;
    this.#trouble?.[Symbol.dispose]();
    this.#trouble =
      message === '' ? undefined : this.#parts.trouble({ code: 'leaderless', message });
  }
}

function sentence(reported: readonly number[], { partitions, limitMs }: LeaderlessParts): string {
  const named = reported.slice(0, namedMax).join(', ');
  const more = reported.length > namedMax ? ` and ${reported.length - namedMax} more` : '';
  const which =
    reported.length === 1
      ? `partition ${named}`
      : `${reported.length} of ${partitions} partitions (${named}${more})`;
  return `no leader of ${which} has been known for ${limitMs} ms; check the other troubles and the health of the other members`;
}
