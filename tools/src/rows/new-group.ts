// A group of its own in a store under test, and requests about its rows.
import { randomUUID } from 'node:crypto';
import type { Exchanged, RowChange, Rows } from '@leadership/core/adapter';
import type { RowsStore } from '@leadership/testkit';

/** A request that takes longer hangs. Milliseconds. */
const requestMsMax = 30_000;

/** Opens the rows of a new group, as a member that may create them. */
export async function newGroup(
  store: RowsStore,
): Promise<{ readonly rows: Rows; readonly group: string }> {
  const group = randomUUID();
  const rows = await store.openRows(group);
  await rows.open?.(new AbortController().signal, true);
  return { rows, group };
}

/** Makes changes, and reads since a position. */
export function exchanged(
  rows: Rows,
  since: unknown,
  changes: readonly RowChange[] = [],
): Promise<Exchanged> {
  return rows.exchange({ changes, since }, AbortSignal.timeout(requestMsMax));
}
