// The skeleton of an adapter: a ledger over any store whose rows can be replaced conditionally. `docs/writing-an-adapter.md`
// explains it.
import { randomUUID } from 'node:crypto';
import {
  type Clock,
  formatRecord,
  type Instant,
  type Ledger,
  type LedgerNews,
  type LedgerRecord,
  parseRecord,
  sleep,
  type TimeoutOptions,
  withTimeout,
} from '@leadership/core/adapter';

/** The operations of the store. Reads must be consistent: a read returns at least the latest write that has completed. */
export interface Table {
  read(row: string): Promise<string | undefined>;
  /**
   * Replaces the row if it still contains `expected`, or if it does not exist and `expected` is `undefined`. Resolves with
   * whether the row was replaced.
   */
  replace(row: string, expected: string | undefined, text: string): Promise<boolean>;
}

/** Returns the polling interval for a given T, in milliseconds. */
export function pollMsOf(thresholdMs: number): number {
  return thresholdMs / 8;
}

/** Returns a ledger over a table. */
export function tableLedger(table: Table, group: string, thresholdMs: number, clock: Clock): Ledger {
  const pollMs = pollMsOf(thresholdMs);
  const rowOf = (partition: number): string => `${group}/${partition}`;
  const restarts = new Set<number>();
  /** Partition → the life of its row that the engine knows. */
  const lives = new Map<number, string | undefined>();

  async function* newsOf(patient: Table, partition: number, reported: Map<number, string>): AsyncGenerator<LedgerNews> {
    const { text, isMended } = await begun(patient, rowOf(partition));
    const receivedAt: Instant = clock.now();
    if (isMended) yield { kind: 'ignored', what: 'a row that holds no record' };
    const life = lifeIn(text);
    const isAnother = lives.has(partition) && lives.get(partition) !== life;
    if (restarts.delete(partition) || isAnother) {
      reported.delete(partition);
      yield { kind: 'restarted', partition };
    }
    // Store the life only after the engine has processed `restarted`: a record for the previous row must not be written to this one.
    lives.set(partition, life);
    const record = parseRecord(text);
    if (record && text !== reported.get(partition)) yield { kind: 'record', record, receivedAt };
    reported.set(partition, text);
    yield { kind: 'end', partitions: [partition] };
  }

  return {
    shape: 'register',
    newsSpreadMs: pollMs,
    async *news(partitions, signal) {
      const reported = new Map<number, string>();
      const patient = patiently(table, { clock, limitMs: thresholdMs, signal: signal });
      while (!signal.aborted) {
        for (const partition of partitions) yield* newsOf(patient, partition, reported);
        await sleep(clock, pollMs, signal);
      }
    },
    async write(record: LedgerRecord) {
      const life = lives.get(record.partition);
      const current = await table.read(rowOf(record.partition));
      const isExpected = current !== undefined && lifeIn(current) === life && (parseRecord(current)?.id ?? null) === record.after;
      if (life === undefined || !isExpected) return 'refused';
      return (await table.replace(rowOf(record.partition), current, rowText(record, life))) ? 'in-effect' : 'refused';
    },
    reread: (partition) => void restarts.add(partition),
    close: () => Promise.resolve(),
  };
}

/** Returns the table with a time limit for every request. A read that never completes must fail, or the failure would go unnoticed. */
function patiently(table: Table, patience: TimeoutOptions): Table {
  return {
    read: (row) => withTimeout(patience, () => table.read(row)),
    replace: (...change) => withTimeout(patience, () => table.replace(...change)),
  };
}

/**
 * Reads the row. If it is missing or invalid, replaces it by a row without a record. The new row gets a unique id, its life, so
 * that a claim for an earlier row never matches it. A row may be replaced while a member leads, because all other members wait for
 * T_max before the first claim in a new life (L5).
 */
async function begun(table: Table, row: string): Promise<{ readonly text: string; readonly isMended: boolean }> {
  for (let isMended = false; ; ) {
    const text = await table.read(row);
    if (text !== undefined && lifeIn(text) !== undefined) return { text, isMended };
    isMended ||= text !== undefined;
    // Another member may be faster. The next read returns the life that is in effect.
    await table.replace(row, text, JSON.stringify({ life: randomUUID() }));
  }
}

/** Returns the text of a row with this record and this life. Readers of records ignore additional fields. */
function rowText(record: LedgerRecord, life: string): string {
  return JSON.stringify({ life, ...(JSON.parse(formatRecord(record)) as object) });
}

function lifeIn(text: string): string | undefined {
  const { life } = fieldsIn(text);
  return typeof life === 'string' ? life : undefined;
}

function fieldsIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const data: unknown = JSON.parse(text);
    return typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}
