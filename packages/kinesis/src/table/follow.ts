import type { LeadershipError } from '@leadership/core';
import type { LedgerNews } from '@leadership/core/adapter';
import { after } from '@leadership/core/adapter';
import type { Notifier } from '@leadership/core/internal';
import { toError } from '../errors.ts';
import type { Reader } from './reader.ts';
import type { Row } from './row.ts';
import { periodMsOf, type Store } from './store.ts';

/** The inputs of `follow` besides the store. */
export interface Following {
  /** Rings when the reader should read at once, and when the signal aborts. */
  readonly bell: Notifier;
  /** Whether the ledger is closed. Ends the reader like an aborted signal. */
  readonly isOver: () => boolean;
  /**
   * The registers as the engine knows them. Writes name these rows, not rows that were read later:
   * the engine must not write to a recreated register before it knows about the new life.
   */
  readonly heard: Map<number, Row | undefined>;
  /** Whether this member only observes. An observer reads less often. */
  readonly observes: boolean;
  /**
   * Work that runs beside the first read. No news is yielded before it resolves, or if it rejects.
   */
  readonly beside: Promise<void>;
}

/** Read intervals vary by this share, so that members do not read in step. */
const jitter = 0.1;
/** The longest pause after a failed read. In T. */
const patienceThresholds = 0.5;

/**
 * Reads the registers, then follows them until the signal aborts. After the first read, a failed
 * read is reported as a problem and repeated. No news is lost, because the next read returns the
 * current state, and the store decides whether a claim succeeds. Throws if a read cannot succeed
 * any more, for example because the table was deleted.
 */
export async function* follow(
  reader: Reader,
  store: Store,
  following: Following,
  signal: AbortSignal,
): AsyncGenerator<LedgerNews> {
  const { host, clock, pollMs, thresholdMs, busy } = store;
  const { bell, heard } = following;
  const over = (): boolean => signal.aborted || following.isOver();
  let trouble: Disposable | undefined;
  let failures = 0;
  try {
    const [first] = await Promise.all([busy.track(reader.read(signal)), following.beside]);
    yield* hear(reader, heard, first);
    for (let readAt = clock.now(); !over(); ) {
      const periodMs = periodMsOf(store, following.observes);
      const waitMs =
        failures === 0
          ? periodMs
          : Math.min(pollMs * 2 ** failures, patienceThresholds * thresholdMs);
      await bell.until(after(readAt, waitMs * (1 - jitter * host.random())));
      if (over()) return;
      readAt = clock.now();
      const read = await busy.track(attempt(reader, signal));
      trouble?.[Symbol.dispose]();
      trouble = undefined;
      if (read.kind === 'news') {
        failures = 0;
        host.confirmed();
        yield* hear(reader, heard, read.news);
      } else if (!over()) {
        trouble = host.trouble(read.error.code, read.error.message, read.error);
        failures += 1;
      }
    }
  } finally {
    trouble?.[Symbol.dispose]();
  }
}

function* hear(
  reader: Reader,
  heard: Map<number, Row | undefined>,
  news: readonly LedgerNews[],
): Generator<LedgerNews> {
  for (const one of news) {
    if (one.kind === 'record') heard.set(one.record.partition, reader.row(one.record.partition));
    if (one.kind === 'end')
      for (const partition of one.partitions) heard.set(partition, reader.row(partition));
    yield one;
  }
}

type Read =
  | { readonly kind: 'news'; readonly news: readonly LedgerNews[] }
  | { readonly kind: 'failed'; readonly error: LeadershipError };

async function attempt(reader: Reader, signal: AbortSignal): Promise<Read> {
  try {
    return { kind: 'news', news: await reader.read(signal) };
  } catch (thrown) {
    const error = toError(thrown);
    if (error.code === 'misconfigured-backend') throw error;
    return { kind: 'failed', error };
  }
}
