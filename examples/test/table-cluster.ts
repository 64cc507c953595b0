// Adapts the example adapter to the conformance suite: opens members and injects faults into the
// store.
import type { Cluster } from '@leadership/testkit';
import { proxiedMembers, type StoreProxy, storeProxy } from '@leadership/testkit/faults';
import { type Table, tableLeadership } from '../src/table-leadership.ts';
import { slowTable } from './slow-table.ts';

/** Returns a cluster over a table in this process. */
export function tableCluster(): Cluster {
  const { rows, ...table } = slowTable();
  return {
    name: 'table',
    thresholdMs: 600,
    ...proxiedMembers((options) => {
      const proxy = storeProxy();
      return { proxy, source: tableLeadership({ ...options, table: over(table, proxy) }) };
    }),
    contents: async (group) => [...rows].filter(isOf(group)).map((row) => row.join(': ')),
    async deleteState(group) {
      for (const [row] of [...rows].filter(isOf(group))) rows.delete(row);
    },
    putGarbage: async (group, partition) => void rows.set(rowOf(group, partition), '{"garb'),
    async putOtherRelease(group, partition, kind, thresholdMs) {
      const row = rowOf(group, partition);
      const { token = '0', version = 0, life } = JSON.parse(rows.get(row) ?? '{}');
      // A session of a later release, and its claim.
      const session = `later-${crypto.randomUUID()}/1`;
      const opened = { release: 9, kind, version: 0, thresholdMs, member: 'stranger' };
      const next = { kind, life, version: version + 1, session, token: `${BigInt(token) + 1n}` };
      rows.set(rowOf(group, `session#${session}`), JSON.stringify(opened));
      rows.set(row, JSON.stringify({ ...next, later: { release: 9 } }));
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Returns a function that tells whether a row belongs to the group. */
function isOf(group: string): (row: readonly [string, string]) => boolean {
  return ([row]) => row.startsWith(`${encodeURIComponent(group)}/`);
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
