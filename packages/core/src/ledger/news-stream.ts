// The store's news: followed for as long as the member takes part, opened again whenever they break or get stuck, and given
// to the registers one by one.
import type { Host } from '../contract/backend.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import { abandonable } from '../flow/abandonable.ts';
import { follow } from '../flow/follow.ts';
import type { BackOff } from '../flow/keep-trying.ts';
import type { Instant } from '../time/instant.ts';
import type { Ledger, LedgerNews } from './ledger.ts';
import { ReadingWatch } from './reading-watch.ts';
import { reading, type Troubles } from './troubles.ts';

/** What is news to one register. */
export type RegisterNews = (LedgerNews & { readonly kind: 'record' | 'restarted' }) | { readonly kind: 'end'; readonly partition: number };

/** What the news of one member are made of. */
export interface NewsParts {
  readonly ledger: Ledger;
  readonly host: Host;
  readonly troubles: Troubles;
  readonly group: string;
  readonly thresholdMs: number;
  /** The registers to be read. */
  readonly partitions: readonly number[];
  readonly backOff: BackOff;
  /** Nothing is read once this aborts. */
  readonly signal: AbortSignal;
  /** `check` is to be called then. */
  readonly checkAt: (at: Instant) => void;
  readonly learn: (news: RegisterNews) => void;
  /** Whether this member believes to lead there. */
  readonly believes: (partition: number) => boolean;
  /** The news broke; `false` gives them up. */
  readonly broke: (error: unknown) => boolean;
}

/** The news of one member. */
export class NewsStream {
  readonly #parts: NewsParts;
  readonly #reading: ReadingWatch;
  /** The registers to be read again that have not restarted yet. */
  readonly #asked = new Set<number>();
  /** Ends the news that are open. */
  #over = new AbortController();

  constructor(parts: NewsParts) {
    this.#parts = parts;
    const { host, troubles, thresholdMs, checkAt } = parts;
    this.#reading = new ReadingWatch({
      clock: host.clock,
      limitMs: thresholdMs,
      checkAt,
      overdue: (sentence, partitions) => this.#overdue(sentence, partitions),
      caughtUp: () => troubles.mend('reading'),
      stuck: () => this.#stuck(),
    });
  }

  /** Follows the news until the signal aborts, or `broke` gives them up. */
  follow(): void {
    const { host, partitions, backOff, signal, learn, troubles } = this.#parts;
    const broke = (error: unknown): boolean => {
      // Why the news broke says more than that they were slow.
      troubles.mend('reading');
      const goesOn = this.#parts.broke(error);
      if (!goesOn) this.#reading.gaveUp();
      return goesOn;
    };
    const reopened = (): void => {
      for (const partition of partitions) learn({ kind: 'restarted', partition });
    };
    void follow({ open: (until) => this.#open(until), each: (news) => this.#hear(news), broke, reopened }, backOff, host.clock, signal);
  }

  /** Has the register read again. */
  reread(partition: number): void {
    this.#reading.begun(partition);
    this.#asked.add(partition);
    this.#parts.troubles.attempt('reread', () => this.#parts.ledger.reread(partition));
  }

  /** Looks whether reading takes too long. */
  check(): void {
    this.#reading.check();
  }

  #open(until: AbortSignal): AsyncIterable<LedgerNews> {
    const { ledger, partitions } = this.#parts;
    this.#over = new AbortController();
    this.#asked.clear();
    this.#reading.opened(partitions);
    const signal = AbortSignal.any([until, this.#over.signal]);
    return abandonable(ledger.news(partitions, signal), signal);
  }

  #hear(news: LedgerNews): void {
    const { host, troubles, group } = this.#parts;
    this.#reading.heard();
    if (news.kind === 'unreadable') return this.#doubt(news.partition, news.error);
    troubles.confirm('news');
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
    const { troubles, learn } = this.#parts;
    troubles.mend(reading(partition));
    this.#reading.ended(partition);
    learn({ kind: 'end', partition });
  }

  /**
   * One register cannot be read. Who does not lead there claims nothing before it was read to its end again (L11); who does goes
   * on, as long as the store takes its proofs.
   */
  #doubt(partition: number, error: unknown): void {
    const { troubles, learn, believes } = this.#parts;
    troubles.raise(reading(partition), error);
    if (!believes(partition)) learn({ kind: 'restarted', partition });
    // It is known, and whoever tells it tries again.
    this.#reading.ended(partition);
  }

  /** News that broke, or were stuck, say more themselves. A request to read again may have been lost: it is made again. */
  #overdue(sentence: string, partitions: readonly number[]): void {
    const { troubles } = this.#parts;
    for (const partition of partitions) if (this.#asked.has(partition)) this.reread(partition);
    if (!troubles.has('news') && !troubles.has('reading')) troubles.raise('reading', new LeadershipError('unreachable', sentence));
  }

  #stuck(): void {
    const ms = Math.round(this.#parts.thresholdMs);
    const sentence = `the store brought no news for ${ms} ms (thresholdMs) or longer, although registers are being read; they are read anew`;
    this.#over.abort(new LeadershipError('unreachable', sentence));
  }
}
