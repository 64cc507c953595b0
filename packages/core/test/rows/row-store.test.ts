import { describe, expect, it } from 'vitest';
import { RowStore } from '../../src/rows/row-store.ts';
import type { RowChange } from '../../src/rows/rows.ts';

const set = (name: string, expected: string | null, text: string | null): RowChange => ({
  name,
  expected,
  text,
});
const read = (store: RowStore, since: unknown = undefined) =>
  store.exchange({ changes: [], since });

describe('rows in memory', () => {
  it('make the changes in order, each on its own condition, and then read', () => {
    const store = new RowStore();
    const changes = [
      set('a', null, '1'),
      set('a', null, '2'),
      set('a', '1', '3'),
      set('b', null, '4'),
    ];
    const { outcomes, rows, isWhole } = store.exchange({ changes, since: read(store).position });
    expect(outcomes).toEqual([true, false, true, true]);
    expect(rows).toEqual([
      ['a', '3'],
      ['b', '4'],
    ]);
    expect(isWhole).toBe(false);
  });

  it('show what has changed since a position, and rows that are gone', () => {
    const store = new RowStore();
    store.put('a', '1');
    store.put('b', '1');
    const { position } = read(store);
    store.put('b', null);
    store.put('c', '1');
    expect(read(store, position).rows).toEqual([
      ['b', null],
      ['c', '1'],
    ]);
  });

  it('show a row whose change was refused, though it has not changed since the position', () => {
    const store = new RowStore();
    store.put('a', '1');
    const { position } = read(store);
    const answer = store.exchange({ changes: [set('a', '0', '2')], since: position });
    expect(answer.outcomes).toEqual([false]);
    expect(answer.rows).toEqual([['a', '1']]);
  });

  it('change nothing for a reader of another history, and show all rows', () => {
    const store = new RowStore();
    store.put('a', '1');
    const { position } = read(store);
    store.put('a', '2');
    store.restore([['a', '1']]);
    const answer = store.exchange({ changes: [set('a', '1', '3')], since: position });
    expect(answer).toMatchObject({ outcomes: [false], isWhole: true, isRestarted: true });
    expect(answer.rows).toEqual([['a', '1']]);
    expect(read(store, answer.position)).toMatchObject({ rows: [], isWhole: false });
  });

  it('show all rows to a reader whose position is too old to be remembered', () => {
    const store = new RowStore();
    const { position } = read(store);
    for (let index = 0; index < 5000; index += 1) store.put('a', String(index));
    expect(read(store, position)).toMatchObject({ rows: [['a', '4999']], isWhole: true });
  });
});
