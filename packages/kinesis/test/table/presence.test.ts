import { manyListeners } from '@leadership/core/internal';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { presenceItem, textField, textIn } from '../../src/table/layout.ts';
import { type MemberItem, memberItemsIn } from '../../src/table/member-items.ts';
import { tablePresence } from '../../src/table/presence.ts';
import { type Store, storeOf } from '../../src/table/store.ts';
import { fakeHost } from '../support/fake-host.ts';
import { group, memberItemWith } from '../support/plain-items.ts';
import { type PlainTable, plainTable, swallow } from '../support/plain-table.ts';

const thresholdMs = 900;
let table: PlainTable;
let store: Store;
let notified: number;
let stop: AbortController;
beforeEach(() => {
  vi.useFakeTimers();
  table = plainTable();
  store = storeOf({ table, group, thresholdMs, guarantee: 'exclusive' }, fakeHost('a'));
  notified = 0;
  stop = new AbortController();
  manyListeners(stop.signal);
});
afterEach(async () => {
  stop.abort();
  // Loops of the test end here, while its clock still runs.
  await pass(0);
  vi.useRealTimers();
});

const notify = (): void => {
  notified += 1;
};
const presence = () => tablePresence(store, { notify });
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const own = () => presenceItem(store.host.incarnation);
const requests = (kind: 'put' | 'remove') => table.asked.filter((one) => one.kind === kind).length;
const beat = (): number =>
  (
    JSON.parse(textIn(table.stored.get(own()) ?? {}, textField) ?? '{}') as {
      readonly beat: number;
    }
  ).beat;

describe('the announcement of a member', () => {
  it('is written only once the group has admitted it', async () => {
    const announced = presence().announce(stop.signal);
    await pass(5000);
    expect(table.asked).toEqual([]);
    store.admission.set(true);
    await pass(0);
    expect(requests('put')).toBe(1);
    stop.abort();
    await announced;
  });

  it('changes every T, and notifies the other members once', async () => {
    store.admission.set(true);
    void presence().announce(stop.signal);
    await pass(thresholdMs - 1);
    expect([requests('put'), beat(), notified]).toEqual([1, 1, 1]);
    await pass(1);
    expect([requests('put'), beat(), notified]).toEqual([2, 2, 1]);
    await pass(3 * thresholdMs);
    expect([requests('put'), beat(), notified]).toEqual([5, 5, 1]);
  });

  it('is removed once the member leaves', async () => {
    store.admission.set(true);
    const announced = presence().announce(stop.signal);
    await pass(0);
    stop.abort();
    await announced;
    expect([...table.stored.keys()]).toEqual([]);
  });

  it('is not removed if none was written', async () => {
    const announced = presence().announce(stop.signal);
    stop.abort();
    await announced;
    expect(table.asked).toEqual([]);
  });

  it('is removed also if the answer to the first write is pending, because the write may take effect', async () => {
    store.admission.set(true);
    table.before = ({ kind }) => (kind === 'put' ? swallow() : undefined);
    const announced = presence().announce(stop.signal);
    await pass(10);
    stop.abort();
    await announced.catch(() => undefined);
    expect(requests('remove')).toBe(1);
  });

  it('leaves without an error if the removal fails', async () => {
    store.admission.set(true);
    const announced = presence().announce(stop.signal);
    await pass(0);
    table.before = () => Promise.reject(new Error('away'));
    stop.abort();
    await expect(announced).resolves.toBeUndefined();
  });

  it('is kept if a write fails, and goes on with another number: a repeated one would look stale', async () => {
    store.admission.set(true);
    const member = presence();
    const announced = member.announce(stop.signal);
    await pass(0);
    table.before = () => Promise.reject(new Error('throttled'));
    const failed = expect(announced).rejects.toThrow('throttled');
    await pass(thresholdMs);
    await failed;
    expect(requests('remove')).toBe(0);
    expect(table.stored.has(own())).toBe(true);
    table.before = undefined;
    void member.announce(stop.signal);
    await pass(0);
    expect(beat()).toBe(3);
  });

  it('rejects if the table does not answer within a third of T', async () => {
    store.admission.set(true);
    table.before = swallow;
    const failed = expect(presence().announce(stop.signal)).rejects.toThrow(
      'no answer within 300 ms',
    );
    await pass(thresholdMs / 3);
    await failed;
  });
});

describe('the members that are present', () => {
  let items: readonly MemberItem[] = [];
  /** Reads the items of these members now. Each changes if it has another beat. */
  const read = async (beats: Readonly<Record<string, number>>): Promise<void> => {
    const found = Object.entries(beats).map(([incarnation, count]) =>
      memberItemWith(presenceItem(incarnation), { incarnation, member: 'm', beat: count }),
    );
    items = memberItemsIn(found, items, store.clock.now());
    store.memberItems.set(items);
    await pass(0);
  };
  const followed = (): readonly (readonly string[])[] => {
    const news: (readonly string[])[] = [];
    const follow = async (): Promise<void> => {
      for await (const now of presence().present(stop.signal)) news.push(now);
    };
    void follow();
    return news;
  };
  beforeEach(() => {
    items = [];
  });

  it('are reported in a fixed order, when they change', async () => {
    const news = followed();
    await read({ b: 1, a: 1 });
    await read({ a: 2, b: 2 });
    await read({ c: 1, a: 3, b: 3 });
    await read({ a: 4, b: 4 });
    expect(news).toEqual([
      ['a', 'b'],
      ['a', 'b', 'c'],
      ['a', 'b'],
    ]);
  });

  it('are those whose items have changed within two and a half T', async () => {
    const news = followed();
    await read({ a: 1, b: 1 });
    await pass(2.5 * thresholdMs - 1);
    await read({ a: 2, b: 1 });
    await pass(1);
    await read({ a: 3, b: 1 });
    expect(news).toEqual([['a', 'b'], ['a']]);
  });

  it('do not include one whose item is garbage', async () => {
    const news = followed();
    items = memberItemsIn(
      [
        memberItemWith(presenceItem('a'), { incarnation: 7 }),
        memberItemWith(presenceItem('b'), {}),
      ],
      [],
      store.clock.now(),
    );
    store.memberItems.set(items);
    await pass(0);
    expect(news).toEqual([[]]);
  });

  it('lose an item that is stale for more than ten T, and no other one', async () => {
    followed();
    const gone = memberItemWith(presenceItem('b'), { incarnation: 'b', member: 'm', beat: 1 });
    table.stored.set(presenceItem('b'), gone);
    await read({ a: 1, b: 1 });
    await pass(10 * thresholdMs);
    await read({ a: 2, b: 1 });
    expect(requests('remove')).toBe(0);
    await pass(1);
    await read({ a: 3, b: 1 });
    expect(table.asked.map(({ item }) => item)).toEqual([presenceItem('b')]);
    expect(table.stored.size).toBe(0);
  });
});
