// Rows in memory, behind a port that can only list and compare.
import { type ListingStore, pollRows } from '../../src/rows/poll-rows.ts';
import type { RowStore } from '../../src/rows/row-store.ts';
import type { Rows } from '../../src/rows/rows.ts';

/** Returns rows whose store lists those of `store`, and makes changes there; `parts` replace its methods. */
export function listedRows(store: RowStore, parts: Partial<ListingStore> = {}): Rows {
  return pollRows({
    name: 'a list',
    changesMax: 32,
    list: async () => ({ rows: new Map(store.rows) }),
    replace: async (changes) => changes.map((change) => store.change(change)),
    close: () => undefined,
    ...parts,
  });
}
