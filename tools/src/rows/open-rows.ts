// The store under test in the tests of this folder.
import type { Rows } from '@leadership/core/adapter';
import type { RecordingHost } from '@leadership/testkit/adapter';

/** The rows of a group, as one member uses them. Disposing closes its connections. */
export interface OpenRows extends AsyncDisposable {
  readonly rows: Rows;
  readonly host: RecordingHost;
}

/** Opens the rows of a group of its own, or of the given one. */
export type OpenGroup = (options?: {
  readonly group?: string;
  readonly member?: string;
}) => OpenRows;

/** What became of a change. */
export interface RowOutcome {
  readonly isDone: boolean;
  /** The text that the row holds instead of the expected one, if it was read. */
  readonly found?: string | null;
}

/** A signal of each request: Node warns of a leak where many requests listen to one. */
const never = (): AbortSignal => new AbortController().signal;

/** Prepares the store, or checks it; as an observer does unless `mayCreate`. */
export async function prepared({ rows }: OpenRows, mayCreate = true): Promise<void> {
  await rows.open?.(never(), mayCreate);
}

/** Reads the rows. */
export async function listed(
  { rows }: OpenRows,
  signal: AbortSignal = never(),
): Promise<ReadonlyMap<string, string>> {
  const answer = await rows.exchange({ changes: [], since: undefined }, signal);
  return new Map(answer.rows.flatMap(([name, text]) => (text === null ? [] : [[name, text]])));
}

/** Changes a row, after a reading, as by a new reader. */
export async function changed(
  { rows }: OpenRows,
  name: string,
  expected: string | null,
  text: string | null,
  isAwaited: boolean = false,
  signal: AbortSignal = never(),
): Promise<RowOutcome> {
  const change = { name, expected, text, isAwaited };
  const before = await rows.exchange({ changes: [], since: undefined }, signal);
  const request = { changes: [change], since: before.position };
  const { outcomes, rows: after, isWhole } = await rows.exchange(request, signal);
  if (outcomes[0] === true) return { isDone: true };
  const found = new Map([...(isWhole ? [] : before.rows), ...after]).get(name) ?? null;
  // It may be locked, or have changed after the instant of the reading.
  return { isDone: false, ...(found !== expected && { found }) };
}
