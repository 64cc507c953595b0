import type { Table } from '../src/table-ledger.ts';

/** Returns a table in memory whose requests take 2 ms, as over a network. */
export function slowTable(): Table & { readonly rows: Map<string, string> } {
  const rows = new Map<string, string>();
  const moment = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2));
  return {
    rows,
    async read(row) {
      await moment();
      return rows.get(row);
    },
    async replace(row, expected, text) {
      await moment();
      if (rows.get(row) !== expected) return false;
      rows.set(row, text);
      return true;
    },
  };
}
