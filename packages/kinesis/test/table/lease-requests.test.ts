import { manyListeners } from '@leadership/core/internal';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { presenceItem, requestItem, textField, textIn } from '../../src/table/layout.ts';
import { type TableLeaseRequests, tableLeaseRequests } from '../../src/table/lease-requests.ts';
import { type MemberItem, memberItemsIn } from '../../src/table/member-items.ts';
import { type Store, storeOf } from '../../src/table/store.ts';
import { fakeHost } from '../support/fake-host.ts';
import { group, memberItemWith } from '../support/plain-items.ts';
import { type PlainTable, plainTable, swallow } from '../support/plain-table.ts';

const thresholdMs = 900;
let table: PlainTable;
let store: Store;
let requests: TableLeaseRequests;
let notified: number;
let stop: AbortController;
let items: readonly MemberItem[];
beforeEach(() => {
  vi.useFakeTimers();
  table = plainTable();
  store = storeOf({ table, group, thresholdMs, guarantee: 'exclusive' }, fakeHost('a'));
  notified = 0;
  requests = tableLeaseRequests(store, {
    notify() {
      notified += 1;
    },
  });
  stop = new AbortController();
  manyListeners(stop.signal);
  items = [];
});
afterEach(async () => {
  stop.abort();
  // Loops of the test end here, while its clock still runs.
  await pass(0);
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const requestBy = (incarnation: string, id = '1') => ({
  partition: 0,
  id,
  incarnation,
  member: 'm',
  thresholdMs,
});
const itemOf = (incarnation: string): string => requestItem(0, incarnation);
const removed = (): readonly string[] =>
  table.asked.filter(({ kind }) => kind === 'remove').map(({ item }) => item);

/** Reads these items now. */
async function read(...found: readonly (readonly [string, object])[]): Promise<void> {
  items = memberItemsIn(
    found.map(([item, content]) => memberItemWith(item, content)),
    items,
    store.clock.now(),
  );
  store.memberItems.set(items);
  await pass(0);
}

/** Follows the requests of other members, as `INCARNATION ID`. */
function followed(): { readonly asked: readonly string[]; readonly receivedAt: readonly number[] } {
  const asked: string[] = [];
  const receivedAt: number[] = [];
  const follow = async (): Promise<void> => {
    for await (const one of requests.received(stop.signal)) {
      asked.push(`${one.incarnation} ${one.id}`);
      receivedAt.push(one.receivedAt);
    }
  };
  void follow();
  return { asked, receivedAt };
}

describe('an own request', () => {
  it('is stored, and notifies the other members when it is new', async () => {
    await requests.send(requestBy('a'), stop.signal);
    await requests.send(requestBy('a', '2'), stop.signal);
    expect(textIn(table.stored.get(itemOf('a')) ?? {}, textField)).toBe(
      JSON.stringify(requestBy('a', '2')),
    );
    expect(notified).toBe(1);
  });

  it('sends no notification if it cannot be stored', async () => {
    table.before = () => Promise.reject(new Error('away'));
    await expect(requests.send(requestBy('a'), stop.signal)).rejects.toThrow('away');
    expect(notified).toBe(0);
  });

  it('counts as pending from before the write on, so that the member reads more often at once', async () => {
    table.before = swallow;
    void requests.send(requestBy('a'), stop.signal);
    await pass(0);
    expect([...store.requests.keys()]).toEqual([itemOf('a')]);
  });

  it('is removed when it was not repeated for half a T, and then it is new again', async () => {
    followed();
    await requests.send(requestBy('a'), stop.signal);
    await pass(thresholdMs / 2);
    await read([itemOf('a'), requestBy('a')]);
    expect(removed()).toEqual([]);
    await pass(1);
    await read([itemOf('a'), requestBy('a')]);
    expect(removed()).toEqual([itemOf('a')]);
    expect([...store.requests.keys()]).toEqual([]);
    expect(table.stored.size).toBe(0);
    await requests.send(requestBy('a', '2'), stop.signal);
    expect(notified).toBe(2);
  });

  it('stays if it was repeated while its removal was on its way', async () => {
    followed();
    await requests.send(requestBy('a'), stop.signal);
    await pass(thresholdMs);
    let remove = (): void => undefined;
    table.before = ({ kind }) =>
      kind === 'remove' ? new Promise((resolve) => (remove = resolve)) : undefined;
    await read([itemOf('a'), requestBy('a')]);
    await requests.send(requestBy('a', '2'), stop.signal);
    remove();
    await pass(0);
    expect(removed()).toEqual([itemOf('a')]);
    expect(table.stored.has(itemOf('a'))).toBe(true);
  });

  it('is not reported, and not swept while it is pending', async () => {
    const { asked } = followed();
    await requests.send(requestBy('a'), stop.signal);
    await read([itemOf('a'), requestBy('a')]);
    await pass(3 * thresholdMs);
    await requests.send(requestBy('a'), stop.signal);
    await read([itemOf('a'), requestBy('a')]);
    expect([asked, removed()]).toEqual([[], []]);
  });

  it('is removed on close, and is not pending any longer', async () => {
    await requests.send(requestBy('a'), stop.signal);
    await requests.close();
    expect(table.stored.size).toBe(0);
    expect(store.requests.size).toBe(0);
  });

  it('does not keep close from resolving if the removal fails', async () => {
    await requests.send(requestBy('a'), stop.signal);
    table.before = () => Promise.reject(new Error('away'));
    await expect(requests.close()).resolves.toBeUndefined();
  });
});

describe('a request of another member', () => {
  it('is reported once per text, with the time of the read', async () => {
    const { asked, receivedAt } = followed();
    await pass(50);
    const readAt = store.clock.now();
    await read([itemOf('b'), requestBy('b')]);
    await read([itemOf('b'), requestBy('b')]);
    await read([itemOf('b'), requestBy('b', '2')]);
    expect(asked).toEqual(['b 1', 'b 2']);
    expect(receivedAt).toEqual([readAt, readAt]);
  });

  it('is reported again if it returns', async () => {
    const { asked } = followed();
    await read([itemOf('b'), requestBy('b')]);
    await read();
    await read([itemOf('b'), requestBy('b')]);
    expect(asked).toEqual(['b 1', 'b 1']);
  });

  it.each<[string, object]>([
    ['no id', { ...requestBy('b'), id: undefined }],
    ['a number as the member', { ...requestBy('b'), member: 7 }],
    ['a fraction of a partition', { ...requestBy('b'), partition: 0.5 }],
    ['no T', { ...requestBy('b'), thresholdMs: null }],
    ['nothing', {}],
  ])('is ignored if it is garbage: %s', async (_what, garbage) => {
    const { asked } = followed();
    await read([itemOf('b'), garbage]);
    expect(asked).toEqual([]);
  });

  it('is not an item of a member’s presence, whatever that says', async () => {
    const { asked } = followed();
    await read([presenceItem('b'), requestBy('b')]);
    await pass(9 * thresholdMs);
    await read([presenceItem('b'), requestBy('b')]);
    expect([asked, removed()]).toEqual([[], []]);
  });

  it('is removed once it was not repeated for more than two T', async () => {
    followed();
    table.stored.set(itemOf('b'), memberItemWith(itemOf('b'), requestBy('b')));
    await read([itemOf('b'), requestBy('b')]);
    await pass(2 * thresholdMs);
    await read([itemOf('b'), requestBy('b')]);
    expect(removed()).toEqual([]);
    await pass(1);
    await read([itemOf('b'), requestBy('b')]);
    expect(removed()).toEqual([itemOf('b')]);
    expect(table.stored.size).toBe(0);
  });
});
