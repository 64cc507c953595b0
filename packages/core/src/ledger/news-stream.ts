// The store's news: followed while the member takes part, reopened whenever the stream fails or
// gets stuck, and distributed to the registers.

import { abandonable } from '../async/abandonable.ts';
import { follow } from '../async/follow.ts';
import type { BackOff } from '../async/retry.ts';
import type { Host } from '../contract/backend.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import type { NewTimer } from '../engine/driver.ts';
import type { HealthReporter } from '../engine/health-reporter.ts';
import { manyListeners } from '../process/many-listeners.ts';
import type { Ledger, LedgerNews } from './ledger.ts';
import { ReadingWatch } from './reading-watch.ts';

/** A news item for one register. */
export type RegisterNews =
  | (LedgerNews & { readonly kind: 'record' | 'restarted' })
  | { readonly kind: 'end'; readonly partition: number };

/** The dependencies of `NewsStream`. */
export interface NewsParts {
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
  readonly learn: (news: RegisterNews) => void;
  /** Returns whether this member considers itself the leader of the partition. */
  readonly believes: (partition: number) => boolean;
  /** Receives the error of a failed stream. Returns `false` to stop following. */
  readonly broke: (error: unknown) => boolean;
}

/** Follows the news of one member. */
export class NewsStream {
  readonly #parts: NewsParts;
  readonly #reading: ReadingWatch;
  /** The registers whose reread was requested and that have not restarted yet. */
  readonly #asked = new Set<number>();
  /** Aborts the current stream. */
  #over = new AbortController();

  constructor(parts: NewsParts) {
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

  /** Follows the news until the signal aborts, or until `broke` returns `false`. */
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
      { open: (until) => this.#open(until), each: (news) => this.#hear(news), broke, reopened },
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

  #open(until: AbortSignal): AsyncIterable<LedgerNews> {
    const { ledger, partitions } = this.#parts;
    this.#over = new AbortController();
    this.#asked.clear();
    this.#reading.opened(partitions);
    // An adapter may have a request for each partition under way.
    const signal = manyListeners(AbortSignal.any([until, this.#over.signal]));
    return abandonable(ledger.news(partitions, signal), signal);
  }

  #hear(news: LedgerNews): void {
    const { host, health, group } = this.#parts;
    this.#reading.heard();
    if (news.kind === 'unreadable') return this.#doubt(news.partition, news.error);
    health.confirm('news');
    if (news.kind === 'ignored') host.ignored(news.what);
    else if (news.kind === 'record' && news.record.group !== group) host.ignored('foreign-group');
    else if (news.kind === 'end') for (const partition of news.partitions) this.#ended(partition);
    else this.#learn(news);
  }

  #learn(news: LedgerNews & { readonly kind: 'record' | 'restarted' }): void {
    if (news.kind === 'restarted') {
      this.#asked.delete(news.partition);
      this.#reading.begun(news.partition);
    }
    this.#parts.learn(news);
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
    if (!health.has('news') && !health.has('reading'))
      health.raise('reading', new LeadershipError('unreachable', sentence));
  }

  #stuck(): void {
    const ms = Math.round(this.#parts.thresholdMs);
    const sentence = `the store brought no news for ${ms} ms (thresholdMs) or longer, although registers are being read; the stream is reopened`;
    this.#over.abort(new LeadershipError('unreachable', sentence));
  }
}

/** Returns the topic of troubles with reads of one register. */
function reading(partition: number): string {
  return `read ${partition}`;
}
