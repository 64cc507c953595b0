// Removes rows that members left behind.
import { replaceRow, type TableStore } from './table-store.ts';

/** A row and the text that it must still have to be removed. */
export interface WrittenRow {
  readonly name: string;
  readonly text: string;
}

/** The number of stale rows that one sweep removes. Later reads return the others again. */
const sweptAtOnce = 25;

/** Removes rows whose text is unchanged, in parallel. Ignores failures: other members will retry. */
export async function removeRows(store: TableStore, rows: readonly WrittenRow[]): Promise<void> {
  const until = new AbortController().signal;
  const removals = rows.map(({ name, text }) => replaceRow(store, { name, expected: text, text: null, isAwaited: false }, until));
  await Promise.allSettled(removals);
}

/** Creates a function that removes stale rows in the background, so that news does not wait for it. */
export function sweeper(store: TableStore): (gone: readonly WrittenRow[]) => void {
  let isUnderWay = false;
  const sweep = async (gone: readonly WrittenRow[]): Promise<void> => {
    isUnderWay = true;
    await removeRows(store, gone);
    isUnderWay = false;
  };
  return (gone) => {
    if (!isUnderWay && gone.length > 0) void sweep(gone.slice(0, sweptAtOnce));
  };
}
