// Reads and writes a ledger in the tests of an adapter.
import type { Host } from '@leadership/core/adapter';
import type {
  Ledger,
  LedgerEvent,
  LedgerRecord,
  WriteOutcome,
} from '@leadership/core/internal/lease';
import { eventually } from '@leadership/testkit/adapter';

/**
 * A ledger whose partition 0 a test reads as an engine does, and writes directly. Disposal closes
 * it.
 */
export interface FollowedLedger extends AsyncDisposable {
  /** All events of the ledger so far. */
  readonly events: readonly LedgerEvent[];
  /** Resolves once following has ended, with the error if it failed. */
  readonly failure: Promise<unknown>;
  /** Returns the current record of partition 0, as read so far. */
  current(): LedgerRecord | undefined;
  /** Resolves once a register was read to its end. */
  opened(): Promise<void>;
  /** Writes the successor of `current()`: a renewal, modified by `changes`. */
  writeNext(changes?: Partial<LedgerRecord>): Promise<WriteOutcome>;
}

/** Starts to follow registers of a ledger. */
export function followLedger(
  ledger: Ledger,
  use: {
    /** The member that `writeNext` writes as. */
    readonly host: Pick<Host, 'member' | 'incarnation'>;
    /** The group of the records that `writeNext` writes. */
    readonly group: string;
    /** The registers to follow. */
    readonly partitions: readonly number[];
    /** The T of written records, in milliseconds. */
    readonly thresholdMs: number;
  },
): FollowedLedger {
  const { host, group, partitions, thresholdMs } = use;
  const { member, incarnation } = host;
  const stop = new AbortController();
  const events: LedgerEvent[] = [];
  let current: LedgerRecord | undefined;
  let sequence = 0;
  const learn = (item: LedgerEvent): void => {
    if (item.kind === 'restarted') current = undefined;
    if (
      item.kind === 'record' &&
      item.record.partition === 0 &&
      item.record.height > (current?.height ?? -1)
    )
      current = item.record;
    events.push(item);
  };
  const follow = async (): Promise<void> => {
    for await (const item of ledger.events(partitions, stop.signal)) learn(item);
  };
  const broke = follow().catch((error: unknown) => error);
  return {
    events,
    failure: broke,
    current: () => current,
    opened: () =>
      Promise.race([
        eventually('a register is read to its end', () =>
          events.some(({ kind }) => kind === 'end'),
        ),
        broke.then((error) => {
          throw error ?? new Error('following ended before a register was read to its end');
        }),
      ]).then(() => undefined),
    async writeNext(changes = {}) {
      sequence += 1;
      const place = {
        group,
        partition: 0,
        after: current?.id ?? null,
        height: (current?.height ?? -1) + 1,
      };
      const own = {
        id: `${member}/${incarnation}/${sequence}`,
        member,
        incarnation,
        kind: 'hold',
        thresholdMs,
      };
      const record = { ...place, ...own, token: current?.token ?? 1n, ...changes };
      const written = await ledger.write(record, stop.signal);
      if (written === 'in-effect') current = record;
      return written;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ledger.close();
      await broke;
    },
  };
}
