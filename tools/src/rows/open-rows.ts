// The store under test in the tests of this folder: the rows of the ledger, or those of leases by
// session.
import type { Rows as LedgerRows, RowOutcome } from '@leadership/core/adapter';
import type { Rows } from '@leadership/core/internal/rows';
import type { RecordingHost } from '@leadership/testkit/adapter';

/** Rows of either kind. */
export type AnyRows = LedgerRows | Rows;

/** The rows of a group, as one member uses them. Disposing closes its connections. */
export interface OpenRows<Kind extends AnyRows = LedgerRows> extends AsyncDisposable {
  readonly rows: Kind;
  readonly host: RecordingHost;
}

/** Opens the rows of a group of its own, or of the given one. */
export type OpenGroup<Kind extends AnyRows = LedgerRows> = (options?: {
  readonly group?: string;
  readonly member?: string;
}) => OpenRows<Kind>;

/** A signal of each request: Node warns of a leak where many requests listen to one. */
const never = (): AbortSignal => new AbortController().signal;

/** Prepares the store, or checks it; as an observer does unless `mayCreate`. */
export async function prepared({ rows }: OpenRows<AnyRows>, mayCreate = true): Promise<void> {
  await ('exchange' in rows
    ? rows.open?.(never(), mayCreate)
    : rows.open?.({ signal: never(), mayCreate }));
}

/** Reads the rows. */
export async function listed(
  { rows }: OpenRows<AnyRows>,
  signal: AbortSignal = never(),
): Promise<ReadonlyMap<string, string>> {
  if (!('exchange' in rows)) return rows.list({ signal, mayLag: false });
  const answer = await rows.exchange({ changes: [], since: undefined }, signal);
  return new Map(answer.rows.flatMap(([name, text]) => (text === null ? [] : [[name, text]])));
}

/** Changes a row. Rows of sessions are read before, as by a new reader. */
export async function changed(
  { rows }: OpenRows<AnyRows>,
  name: string,
  expected: string | null,
  text: string | null,
  isAwaited: boolean = false,
  signal: AbortSignal = never(),
): Promise<RowOutcome> {
  const change = { name, expected, text, isAwaited };
  if (!('exchange' in rows)) return rows.replace(change, signal);
  const before = await rows.exchange({ changes: [], since: undefined }, signal);
  const request = { changes: [change], since: before.position };
  const { outcomes, rows: after, isWhole } = await rows.exchange(request, signal);
  if (outcomes[0] === true) return { isDone: true };
  const found = new Map([...(isWhole ? [] : before.rows), ...after]).get(name) ?? null;
  // It may be locked, or have changed after the instant of the reading.
  return { isDone: false, ...(found !== expected && { found }) };
}
