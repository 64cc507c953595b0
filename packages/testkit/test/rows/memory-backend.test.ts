import { MemoryRows, MemoryStore } from '@leadership/core/internal/rows';
import { describe } from 'vitest';
import type { RowsStore } from '../../src/index.ts';
import { rowsTests } from '../../src/vitest.ts';

describe('the rows of a memory group', () => rowsTests(memoryGroups));

function memoryGroups(): RowsStore {
  const groups = new Map<string, MemoryStore>();
  const groupOf = (name: string): MemoryStore => {
    const group = groups.get(name) ?? new MemoryStore();
    groups.set(name, group);
    return group;
  };
  return {
    name: 'a memory group',
    openRows: (name) => new MemoryRows(groupOf(name)),
    notifies: true,
    holdsNul: true,
    put: async (name, row, text) => groupOf(name).rows.put(row, text),
    async restore(during) {
      const kept = [...groups.values()].map(({ rows }) => [rows, [...rows.rows]] as const);
      await during();
      for (const [store, rows] of kept) store.restore(rows);
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
