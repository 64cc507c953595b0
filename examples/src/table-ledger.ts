// The skeleton of an adapter: a ledger over any store with rows that can be replaced on condition. `docs/writing-an-adapter.md`
// walks through it.
import { type Clock, type Instant, pause } from '@leadership/core/backend';
import { formatRecord, type Ledger, type LedgerNews, type LedgerRecord, parseRecord } from '@leadership/core/ledger';

/** What the store has to offer. Reads must be consistent: never older than a write that was answered. */
export interface Table {
  read(row: string): Promise<string | undefined>;
  /** Replaces the row where it still says `expected` (`undefined`: where there is none). Says whether it did. */
  replace(row: string, expected: string | undefined, text: string): Promise<boolean>;
}

/** A ledger over a table; `pollMs` is how often it is read. */
export function tableLedger(table: Table, group: string, pollMs: number, clock: Clock): Ledger {
  const rowOf = (partition: number): string => `${group}/${partition}`;
  const restarts = new Set<number>();

  async function* newsOf(partition: number, reported: Map<number, string>): AsyncGenerator<LedgerNews> {
    if (restarts.delete(partition)) {
      reported.delete(partition);
      yield { kind: 'restarted', partition };
    }
    const text = await table.read(rowOf(partition));
    const receivedAt: Instant = clock.now();
    if (text !== undefined && text !== reported.get(partition)) yield newsIn(text, receivedAt);
    if (text !== undefined) reported.set(partition, text);
    yield { kind: 'end', partitions: [partition] };
  }

  return {
    shape: 'register',
    async *news(partitions, signal) {
      const reported = new Map<number, string>();
      while (!signal.aborted) {
        for (const partition of partitions) yield* newsOf(partition, reported);
        await pause(clock, pollMs, signal);
      }
    },
    async write(record: LedgerRecord) {
      const current = await table.read(rowOf(record.partition));
      const isExpected = (current === undefined ? null : parseRecord(current)?.id) === record.after;
      if (!isExpected) return 'refused';
      return (await table.replace(rowOf(record.partition), current, formatRecord(record))) ? 'in-effect' : 'refused';
    },
    reread: (partition) => void restarts.add(partition),
    close: () => Promise.resolve(),
  };
}

function newsIn(text: string, receivedAt: Instant): LedgerNews {
  const record = parseRecord(text);
  return record ? { kind: 'record', record, receivedAt } : { kind: 'ignored', what: 'a row that holds no record' };
}
