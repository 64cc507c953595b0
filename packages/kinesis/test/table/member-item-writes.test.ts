import { monotonicClock } from '@leadership/core/adapter';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { presenceItem, textField } from '../../src/table/layout.ts';
import {
  itemText,
  putMemberItem,
  removeMemberItem,
  removeMemberItems,
  sweeper,
} from '../../src/table/member-item-writes.ts';
import { memberItemsIn } from '../../src/table/member-items.ts';
import { type Store, storeOf } from '../../src/table/store.ts';
import { fakeHost } from '../support/fake-host.ts';
import { group, memberItemWith } from '../support/plain-items.ts';
import { type PlainTable, plainTable, swallow } from '../support/plain-table.ts';

const never = new AbortController().signal;
let table: PlainTable;
let store: Store;
beforeEach(() => {
  vi.useFakeTimers();
  table = plainTable();
  store = storeOf({ table, group, thresholdMs: 900, guarantee: 'exclusive' }, fakeHost('a'));
});
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const left = (index: number) => ({ item: presenceItem(String(index)), text: itemText({ index }) });
const many = (count: number) => Array.from({ length: count }, (_, index) => left(index));

/** Whether requests are in flight. Closing the store waits for them. */
async function isBusy(): Promise<boolean> {
  let isOver = false;
  void store.busy.settled(monotonicClock, 1000).then(() => {
    isOver = true;
  });
  await pass(1);
  return !isOver;
}

describe('the items of members', () => {
  it('have the age of their text, whatever the number of reads', () => {
    const at = (ms: number) => (store.clock.now() + ms) as ReturnType<Store['clock']['now']>;
    const [item, other] = [
      memberItemWith(presenceItem('b'), { beat: 1 }),
      memberItemWith(presenceItem('b'), { beat: 2 }),
    ];
    const [first, second, third] = [at(0), at(10), at(20)];
    const once = memberItemsIn([item], [], first);
    const twice = memberItemsIn([item], once, second);
    expect(once).toMatchObject([{ since: first, readAt: first }]);
    expect(twice).toMatchObject([{ since: first, readAt: second }]);
    expect(memberItemsIn([other], twice, third)).toMatchObject([{ since: third, readAt: third }]);
  });

  it('include no register, no foreign item and none without a text', () => {
    const { [textField]: _, ...textless } = memberItemWith(presenceItem('b'), {});
    expect(
      memberItemsIn(
        [memberItemWith('partition#0', {}), memberItemWith('README', {}), textless],
        [],
        store.clock.now(),
      ),
    ).toEqual([]);
  });

  it('are removed if they still have the same text', async () => {
    table.stored.set(left(0).item, memberItemWith(left(0).item, { index: 0 }));
    table.stored.set(left(1).item, memberItemWith(left(1).item, { index: 'another' }));
    await removeMemberItems(store, many(2));
    expect([...table.stored.keys()]).toEqual([left(1).item]);
    await removeMemberItem(store, left(1).item);
    expect(table.stored.size).toBe(0);
  });

  it('are removed as far as possible: one failure does not matter', async () => {
    table.before = ({ item }) =>
      item === left(0).item ? Promise.reject(new Error('away')) : undefined;
    table.stored.set(left(1).item, memberItemWith(left(1).item, { index: 1 }));
    await removeMemberItems(store, many(2));
    expect(table.stored.size).toBe(0);
  });

  it('keep close waiting while they are written or removed', async () => {
    expect(await isBusy()).toBe(false);
    table.before = swallow;
    void putMemberItem(store, left(0).item, {}, never);
    expect(await isBusy()).toBe(true);
    const other = storeOf(
      { table, group, thresholdMs: 900, guarantee: 'exclusive' },
      fakeHost('b'),
    );
    store = other;
    void removeMemberItem(store, left(0).item).catch(() => undefined);
    expect(await isBusy()).toBe(true);
  });

  it('are not removed without end: the request has a third of T', async () => {
    table.before = swallow;
    const failed = expect(removeMemberItem(store, left(0).item)).rejects.toThrow(
      'no answer within 300 ms',
    );
    await pass(300);
    await failed;
  });
});

describe('a sweep', () => {
  it('removes 25 items, and the next one begins only after its end', async () => {
    const sweep = sweeper(store);
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    table.before = () => answered;
    sweep(many(40));
    sweep(many(40));
    await pass(0);
    expect(table.asked).toHaveLength(25);
    answer();
    await pass(0);
    sweep([]);
    sweep(many(2));
    await pass(0);
    expect(table.asked).toHaveLength(27);
  });

  it('is followed by another one after a failure', async () => {
    const sweep = sweeper(store);
    table.before = () => Promise.reject(new Error('away'));
    sweep(many(1));
    await pass(0);
    sweep(many(1));
    await pass(0);
    expect(table.asked).toHaveLength(2);
  });
});
