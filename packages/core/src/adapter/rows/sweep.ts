// Removes rows that members left behind.
import { replaceRow, type TableStore } from './table-store.ts';

/** A row and the text that it must still have to be removed. */
export interface WrittenRow {
  readonly name: string;
  readonly text: string;
}

/** The number of stale rows that one sweep removes. Later reads return the others again. */
const sweptAtOnce = 25;

/**
 * Removes rows whose text is unchanged, in parallel. Ignores failures: other members will retry.
 */
async function removeRows(store: TableStore, rows: readonly WrittenRow[]): Promise<void> {
  const remove = ({ name, text }: WrittenRow): Promise<unknown> =>
    // A signal of its own: Node warns of a leak where many requests listen to one.
    replaceRow(
      store,
      { name, expected: text, text: null, isAwaited: false },
      new AbortController().signal,
    );
  await Promise.allSettled(rows.map(remove));
}

/**
 * Creates a function that removes stale rows in the background, so that news does not wait for it.
 */
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
