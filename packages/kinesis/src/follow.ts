import type { LeadershipError } from '@leadership/core';
import { after } from '@leadership/core/backend';
import type { Bell, LedgerNews } from '@leadership/core/ledger';
import { toError } from './errors.ts';
import type { Reader } from './reader.ts';
import type { Row } from './row.ts';
import { periodMsOf, type Store } from './store.ts';

/** What following needs beside the store. */
export interface Following {
  /** Rings when there is reason to read at once, and when the signal aborts. */
  readonly bell: Bell;
  /** Whether the ledger is closed: as if the signal had aborted. */
  readonly isOver: () => boolean;
  /**
   * What the engine has heard of each register: writes go by that, not by what was read since. One that was begun anew must not be
   * written to before the engine knows that it was.
   */
  readonly heard: Map<number, Row | undefined>;
  /** Whether this member only observes, so reads less often. */
  readonly observes: boolean;
  /** What is begun beside the first reading: it is handed out once that has settled, and not where it rejects. */
  readonly beside: Promise<void>;
}

/** Periods differ by so much, so that members do not read in step. A share. */
const jitter = 0.1;
/** The longest pause after a reading that failed. In T. */
const patienceThresholds = 0.5;

/**
 * Reads the registers, then follows them until the signal aborts. Once they were read, a reading that fails is a trouble and no
 * more: nothing was missed, as the next one shows what is current, and what a member may claim the store decides. What no reading
 * can mend, a table that is gone, is thrown.
 */
export async function* follow(reader: Reader, store: Store, following: Following, signal: AbortSignal): AsyncGenerator<LedgerNews> {
  const { host, clock, pollMs, thresholdMs, busy } = store;
  const { bell, heard } = following;
  const over = (): boolean => signal.aborted || following.isOver();
  let trouble: Disposable | undefined;
  let failures = 0;
  try {
    const [first] = await Promise.all([busy.with(reader.read(signal)), following.beside]);
    yield* hear(reader, heard, first);
    for (let readAt = clock.now(); !over(); ) {
      const periodMs = periodMsOf(store, following.observes);
      const waitMs = failures === 0 ? periodMs : Math.min(pollMs * 2 ** failures, patienceThresholds * thresholdMs);
      await bell.until(after(readAt, waitMs * (1 - jitter * host.random())));
      if (over()) return;
      readAt = clock.now();
      const read = await busy.with(attempt(reader, signal));
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

function* hear(reader: Reader, heard: Map<number, Row | undefined>, news: readonly LedgerNews[]): Generator<LedgerNews> {
  for (const one of news) {
    if (one.kind === 'record') heard.set(one.record.partition, reader.row(one.record.partition));
    if (one.kind === 'end') for (const partition of one.partitions) heard.set(partition, reader.row(partition));
    yield one;
  }
}

type Read = { readonly kind: 'news'; readonly news: readonly LedgerNews[] } | { readonly kind: 'failed'; readonly error: LeadershipError };

async function attempt(reader: Reader, signal: AbortSignal): Promise<Read> {
  try {
    return { kind: 'news', news: await reader.read(signal) };
  } catch (thrown) {
    const error = toError(thrown);
    if (error.code === 'misconfigured-backend') throw error;
    return { kind: 'failed', error };
  }
}
