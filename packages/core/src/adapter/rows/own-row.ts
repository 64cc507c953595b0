// A row that only this member writes, such as its sign of life or its request for a lease, and that
// other members remove once it is stale.
import { LeadershipError } from '../../contract/leadership-error.ts';
import type { OwnRow } from './member-rows.ts';
import { readRow, replaceRow, type TableStore, textAfter } from './table-store.ts';

/** Returns the row with that name. Sends no request yet. */
export function ownRow(store: TableStore, name: string): OwnRow {
  let known: string | null = null;
  let sent: string | null = null;
  /** Returns whether the row now holds `text`. */
  const attempt = async (
    text: string | null,
    isAwaited: boolean,
    signal: AbortSignal,
  ): Promise<boolean> => {
    const change = { name, expected: known, text, isAwaited };
    // An earlier write whose outcome was unknown may have landed, or another member may have
    // removed the row.
    known = await textAfter(store, change, await replaceRow(store, change, signal), signal);
    return known === text;
  };
  return {
    async put(text, isAwaited, signal) {
      sent = text;
      if ((await attempt(text, isAwaited, signal)) || (await attempt(text, isAwaited, signal)))
        return;
      throw new LeadershipError(
        'unreachable',
        `${store.rows.name}: row "${name}" was changed by another writer`,
      );
    },
    async remove() {
      const { signal } = new AbortController();
      if (known === null) {
        // Whether the first write has taken effect is unknown.
        known = await readRow(store, name, signal);
        if (known !== sent) return;
      }
      if ((await attempt(null, false, signal)) || known !== sent) return;
      await attempt(null, false, signal);
    },
  };
}
