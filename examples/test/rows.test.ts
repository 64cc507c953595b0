import { rowsTests } from '@leadership/testkit/vitest';
import { type Table, tableRows } from '../src/table-leadership.ts';
import { slowTable } from './slow-table.ts';
import { rowOf } from './table-cluster.ts';

rowsTests(() => {
  const { rows, ...table } = slowTable();
  const lost = new WeakSet<object>();
  /** The table as one member reaches it, whose replies can be lost. */
  const way = (at: Table): Table => {
    const answered = async <T>(answer: Promise<T>): Promise<T> =>
      lost.has(own) ? answer.then(() => new Promise<never>(() => undefined)) : answer;
    const own: Table = {
      read: (...request) => at.read(...request),
      replace: (...request) => answered(at.replace(...request)),
    };
    return own;
  };
  const ways = new WeakMap<object, Table>();
  const open = (at: Table) => (group: string) => {
    const own = way(at);
    const opened = tableRows(own, group);
    ways.set(opened, own);
    return opened;
  };
  return {
    name: 'table',
    openRows: open(table),
    holdsNul: true,
    cannot: {
      'open-transactions': 'a change is one step',
      'locked-rows': 'a change is one step',
      notifications: 'members poll',
      'lagging-reads': 'a table has no replica',
      'promoted-replica': 'a table has no replica',
      'restored-backup': 'a table in memory has no backup',
    },
    async put(group, name, text) {
      if (text === null) rows.delete(rowOf(group, name));
      else rows.set(rowOf(group, name), text);
    },
    loseReplies(of) {
      const own = ways.get(of) ?? {};
      lost.add(own);
      return { [Symbol.dispose]: () => void lost.delete(own) };
    },
    elsewhere: () => open(slowTable()),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
});
