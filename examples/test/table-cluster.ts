// Adapts the example adapter to the conformance suite: opens members and injects faults into the
// store.
import type { Cluster } from '@leadership/testkit';
import { proxiedMembers, rowFaults, type StoreProxy, storeProxy } from '@leadership/testkit/faults';
import { type Table, tableLeadership } from '../src/table-leadership.ts';
import { slowTable } from './slow-table.ts';

/** Returns a cluster over a table in this process. */
export function tableCluster(): Cluster {
  const { rows, ...table } = slowTable();
  const ofGroup = (group: string): ReadonlyMap<string, string> => {
    const prefix = rowOf(group, '');
    const own = [...rows].filter(([row]) => row.startsWith(prefix));
    return new Map(own.map(([row, text]) => [row.slice(prefix.length), text]));
  };
  return {
    name: 'table',
    thresholdMs: 600,
    ...proxiedMembers((options) => {
      const proxy = storeProxy();
      return { proxy, source: tableLeadership({ ...options, table: over(table, proxy) }) };
    }),
    ...rowFaults({
      read: async (group) => ofGroup(group),
      async write(group, texts, [name, text] = ['', '']) {
        if (name !== '' && ofGroup(group).get(name) !== text) return false;
        for (const [row, next] of texts) {
          if (next === null) rows.delete(rowOf(group, row));
          else rows.set(rowOf(group, row), next);
        }
        return true;
      },
    }),
    async deleteState(group) {
      for (const row of ofGroup(group).keys()) rows.delete(rowOf(group, row));
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Returns the name in the table of a row, or of a partition's row. */
export function rowOf(group: string, row: string | number): string {
  const name = typeof row === 'number' ? `partition#${row}` : row;
  return `${encodeURIComponent(group)}/${name}`;
}

/** Returns the table with all requests going through `way`. */
function over(table: Table, way: StoreProxy): Table {
  return {
    read: (prefix, signal) => way.read(prefix, () => table.read(prefix, signal)),
    replace: (...change) => way.write(() => table.replace(...change)),
  };
}
