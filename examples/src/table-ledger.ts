// The skeleton of an adapter: a ledger over any store with rows that can be replaced on condition. `docs/writing-an-adapter.md`
// walks through it.
import { randomUUID } from 'node:crypto';
import { type Clock, type Instant, type Patience, pause, within } from '@leadership/core/backend';
import { formatRecord, type Ledger, type LedgerNews, type LedgerRecord, parseRecord } from '@leadership/core/ledger';

/** What the store has to offer. Reads must be consistent: never older than a write that was answered. */
export interface Table {
  read(row: string): Promise<string | undefined>;
  /** Replaces the row where it still says `expected` (`undefined`: where there is none). Says whether it did. */
  replace(row: string, expected: string | undefined, text: string): Promise<boolean>;
}

/** How often a table is read where T is `thresholdMs`. Milliseconds. */
export function pollMsOf(thresholdMs: number): number {
  return thresholdMs / 8;
}

/** A ledger over a table. */
export function tableLedger(table: Table, group: string, thresholdMs: number, clock: Clock): Ledger {
  const pollMs = pollMsOf(thresholdMs);
  const rowOf = (partition: number): string => `${group}/${partition}`;
  const restarts = new Set<number>();
  /** The life of each row that the engine was told of last. */
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
    // Only now that the engine knows: what it meant for the row before must not be written to this one.
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
      const patient = patiently(table, { clock, limitMs: thresholdMs, until: signal });
      while (!signal.aborted) {
        for (const partition of partitions) yield* newsOf(patient, partition, reported);
        await pause(clock, pollMs, signal);
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

/** The table, whose every answer is waited for so long: a read that is never answered has to fail, or nobody learns that nothing is read. */
function patiently(table: Table, patience: Patience): Table {
  return {
    read: (row) => within(patience, () => table.read(row)),
    replace: (...change) => within(patience, () => table.replace(...change)),
  };
}

/**
 * The row, begun with nothing in effect where it is missing or holds garbage. "Nothing in effect" has a name too, the row's life, which is
 * never used again. A row may be begun while a member leads: all others wait for T_max before the first claim in another life (L5).
 */
async function begun(table: Table, row: string): Promise<{ readonly text: string; readonly isMended: boolean }> {
  for (let isMended = false; ; ) {
    const text = await table.read(row);
    if (text !== undefined && lifeIn(text) !== undefined) return { text, isMended };
    isMended ||= text !== undefined;
    // Another member may be faster; the next read shows which life it is.
    await table.replace(row, text, JSON.stringify({ life: randomUUID() }));
  }
}

/** The record as a row of that life has it: a reader of records ignores further fields. */
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
