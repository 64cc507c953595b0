// The skeleton as the conformance suite wants it: how members are opened, and the faults that its store can have.
import { LeadershipError, type LeadershipSource } from '@leadership/core';
import type { Cluster } from '@leadership/testkit';
import { tableLeadership } from '../src/table-leadership.ts';
import type { Table } from '../src/table-ledger.ts';
import { slowTable } from './slow-table.ts';

/** A cluster over a table in this process. */
export function tableCluster(): Cluster {
  const { rows, ...table } = slowTable();
  const lines = new Map<LeadershipSource, { isCut: boolean }>();
  return {
    name: 'table',
    thresholdMs: 600,
    open(options) {
      const line = { isCut: false };
      const source = tableLeadership({ ...options, table: over(table, line) });
      lines.set(source, line);
      return source;
    },
    cut(source) {
      const line = lines.get(source) ?? { isCut: false };
      line.isCut = true;
      return {
        [Symbol.dispose]: () => {
          line.isCut = false;
        },
      };
    },
    async deleteState(group) {
      for (const row of [...rows.keys()]) if (row.startsWith(`${group}/`)) rows.delete(row);
    },
    putGarbage: async (group, partition) => void rows.set(`${group}/${partition}`, '{"garb'),
    async putOtherRelease(group, partition, kind, thresholdMs) {
      const current = JSON.parse(rows.get(`${group}/${partition}`) ?? '{}') as { id?: string; height: number; token: string };
      const written = {
        id: crypto.randomUUID(),
        after: current.id ?? null,
        height: current.height + 1,
        token: `${BigInt(current.token) + 1n}`,
      };
      const stranger = { member: 'stranger', incarnation: written.id, kind, thresholdMs, later: { release: 9 } };
      rows.set(`${group}/${partition}`, JSON.stringify({ ...current, ...written, ...stranger }));
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** The table over a connection that can be cut. */
function over(table: Table, line: { readonly isCut: boolean }): Table {
  const unlessCut = async <T>(request: () => Promise<T>): Promise<T> => {
    if (line.isCut) throw new LeadershipError('unreachable', 'the table cannot be reached');
    return request();
  };
  return {
    read: (row) => unlessCut(() => table.read(row)),
    replace: (row, expected, text) => unlessCut(() => table.replace(row, expected, text)),
  };
}
