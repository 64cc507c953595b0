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

/** A signal of each request: Node warns of a leak where many requests listen to one. */
const never = (): AbortSignal => new AbortController().signal;

/** Prepares the store, or checks it; as an observer does unless `mayCreate`. */
export function prepared({ rows }: OpenRows, mayCreate = true): Promise<void> {
  return rows.open?.({ signal: never(), mayCreate }) ?? Promise.resolve();
}

/** Reads the rows. */
export function listed(
  { rows }: OpenRows,
  signal: AbortSignal = never(),
): Promise<ReadonlyMap<string, string>> {
  return rows.list({ signal, mayLag: false });
}

/** Changes a row. */
export function changed(
  { rows }: OpenRows,
  name: string,
  expected: string | null,
  text: string | null,
  isAwaited: boolean = false,
  signal: AbortSignal = never(),
): ReturnType<Rows['replace']> {
  return rows.replace({ name, expected, text, isAwaited }, signal);
}
