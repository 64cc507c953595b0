// Polls the rows of a store, and reports what changed to the ledger: how every store of rows
// delivers the records of other members.
import type { LeadershipError } from '../../contract/leadership-error.ts';
import { HealthReporter, toLeadershipError } from '../../engine/health-reporter.ts';
import type { LedgerEvent } from '../../ledger/ledger.ts';
import { after, type Instant } from '../../time/instant.ts';
import type { ReaderCalls } from './delivered-rows.ts';
import type { RegisterReader } from './register-reader.ts';
import type { RegisterRow } from './register-row.ts';
import { readingJitter, type TableStore } from './table-store.ts';

/** The inputs of `followRegisters` besides the store. */
export interface Following {
  /** Wakes the reader when it should read at once or take rows, and when the signal aborts. */
  readonly calls: ReaderCalls;
  /** Whether the ledger is closed. Ends the reader like an aborted signal. */
  readonly isOver: () => boolean;
  /**
   * The registers as the engine knows them. Writes name these rows, not rows that were read later:
   * the engine must not write to a recreated register before it knows about the new life.
   */
  readonly reported: Map<number, RegisterRow | undefined>;
  /** Returns the time between two reads in the current state of this member. Milliseconds. */
  readonly periodMs: () => number;
  /**
   * Work that runs beside the first read. No event is yielded before it resolves, or if it rejects.
   */
  readonly beside: Promise<void>;
}

/** The longest pause after a failed read. In T. */
const pauseThresholds = 0.5;

/**
 * Reads the registers, then follows them until the signal aborts. After the first read, a failed
 * read is reported as a problem and repeated. No event is lost, because the next read returns the
 * current state, and the store decides whether a claim succeeds. Throws if a read cannot succeed
 * any more, for example because the table was deleted.
 */
export async function* followRegisters(
  reader: RegisterReader,
  store: TableStore,
  following: Following,
  signal: AbortSignal,
): AsyncGenerator<LedgerEvent> {
  const { host, clock, pollMs, thresholdMs, inFlight } = store;
  const { reported } = following;
  const over = (): boolean => signal.aborted || following.isOver();
  const health = new HealthReporter(host);
  let failures = 0;
  try {
    const [first] = await Promise.all([inFlight.track(reader.read(signal)), following.beside]);
    yield* report(reader, reported, first);
    for (let readAt = clock.now(); !over(); ) {
      const waitMs =
        failures === 0
          ? following.periodMs()
          : Math.min(pollMs * 2 ** failures, pauseThresholds * thresholdMs);
      const nextAt = after(readAt, waitMs * (1 + readingJitter * host.random()));
      yield* deliveries(reader, following, nextAt, over);
      if (over()) return;
      readAt = clock.now();
      const read = await inFlight.track(attempt(reader, signal));
      if (read.kind === 'events') {
        failures = 0;
        health.confirm('reading');
        yield* report(reader, reported, read.events);
      } else if (!over()) {
        health.raise('reading', read.error);
        failures += 1;
      }
    }
  } finally {
    health.mendAll();
  }
}

/** Yields what notifications deliver, until a read is due, at `readAt` at the latest. */
async function* deliveries(
  reader: RegisterReader,
  { calls, reported }: Following,
  readAt: Instant,
  over: () => boolean,
): AsyncGenerator<LedgerEvent> {
  while (!over()) {
    const call = await calls.next(readAt);
    if (call === 'read' || over()) return;
    const events = reader.deliver(call, (partition) => reported.get(partition));
    if (events === undefined) return;
    yield* report(reader, reported, events);
  }
}

function* report(
  reader: RegisterReader,
  reported: Map<number, RegisterRow | undefined>,
  events: readonly LedgerEvent[],
): Generator<LedgerEvent> {
  for (const item of events) {
    if (item.kind === 'record')
      reported.set(item.record.partition, reader.row(item.record.partition));
    if (item.kind === 'end')
      for (const partition of item.partitions) reported.set(partition, reader.row(partition));
    yield item;
  }
}

type Read =
  | { readonly kind: 'events'; readonly events: readonly LedgerEvent[] }
  | { readonly kind: 'failed'; readonly error: LeadershipError };

async function attempt(reader: RegisterReader, signal: AbortSignal): Promise<Read> {
  try {
    return { kind: 'events', events: await reader.read(signal) };
  } catch (thrown) {
    const error = toLeadershipError(thrown);
    if (error.code === 'misconfigured-backend') throw error;
    return { kind: 'failed', error };
  }
}
