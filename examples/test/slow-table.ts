import type { Table } from '../src/table-leadership.ts';

/** Returns a table in memory whose requests take 2 ms, as over a network. */
export function slowTable(): Table & { readonly rows: Map<string, string> } {
  const rows = new Map<string, string>();
  const moment = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2));
  return {
    rows,
    async read(prefix) {
      await moment();
      return new Map([...rows].filter(([row]) => row.startsWith(prefix)));
    },
    async replace(row, expected, text) {
      await moment();
      if ((rows.get(row) ?? null) !== expected) return false;
      if (text === null) rows.delete(row);
      else rows.set(row, text);
      return true;
    },
  };
}
