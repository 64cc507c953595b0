import { pinRegister } from '@leadership/core/adapter';
import { manyListeners } from '@leadership/core/internal';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  fields,
  guaranteeField,
  homeRegionField,
  type Item,
  keys,
  partitionsField,
  presenceItem,
  registerItem,
  requestItem,
  textIn,
} from '../../src/table/layout.ts';
import { Reader } from '../../src/table/reader.ts';
import { type Store, storeOf } from '../../src/table/store.ts';
import { fakeHost } from '../support/fake-host.ts';
import { group, memberItemWith, pinOf, recordOf, registerWith } from '../support/plain-items.ts';
import { type PlainTable, plainTable, swallow } from '../support/plain-table.ts';

const never = manyListeners(new AbortController().signal);
const thresholdMs = 3000;
const thresholdMsMax = 5000;
let table: PlainTable;
let store: Store;
beforeEach(() => {
  vi.useFakeTimers();
  table = plainTable();
  store = storeOf(
    { table, group, thresholdMs, guarantee: 'exclusive', homeRegion: 'eu-west-1' },
    fakeHost('a'),
  );
});
afterEach(() => void vi.useRealTimers());

interface Opening {
  readonly begins?: boolean;
  readonly partitions?: number;
  readonly registers?: readonly number[];
}

const open = ({ begins = false, partitions = 2, registers = [0] }: Opening = {}): Reader =>
  new Reader(store, { partitions, thresholdMsMax, begins }, registers);
const storeItems = (...items: readonly Item[]): void => {
  for (const item of items) table.stored.set(textIn(item, keys.item) ?? '', item);
};
const written = (): readonly string[] =>
  table.asked.filter(({ kind }) => kind === 'put').map(({ item }) => item);
const pin = pinOf(2, thresholdMsMax);
const first = recordOf(0);
const second = recordOf(0, { id: 'b/2', after: 'b/1', height: 1 });

describe('the news of a register', () => {
  const kindsAfter = async (reader: Reader): Promise<readonly string[]> =>
    (await reader.read(never)).map(({ kind }) => kind);

  it('is nothing while the item reads the same, and the record after a renewal', async () => {
    storeItems(registerWith(0, first));
    const reader = open();
    expect(await kindsAfter(reader)).toEqual(['record', 'end']);
    expect(await kindsAfter(reader)).toEqual([]);
    storeItems(registerWith(0, second));
    expect(await kindsAfter(reader)).toEqual(['record']);
    expect(reader.row(0)?.record).toEqual(second);
  });

  it('is the record without a restart if it is the first one of an empty register', async () => {
    storeItems(registerWith(0, undefined));
    const reader = open();
    expect(await kindsAfter(reader)).toEqual(['end']);
    storeItems(registerWith(0, recordOf(0, { height: 7 })));
    expect(await kindsAfter(reader)).toEqual(['record']);
  });

  it.each<[string, Item | undefined, readonly string[]]>([
    ['a lower height', registerWith(0, first), ['restarted', 'record', 'end']],
    [
      'the same height',
      registerWith(0, recordOf(0, { id: 'c/1', height: 1 })),
      ['restarted', 'record', 'end'],
    ],
    [
      'another life with a greater height',
      registerWith(0, recordOf(0, { id: 'c/1', height: 9 }), { [fields.life]: { S: 'x' } }),
      ['restarted', 'record', 'end'],
    ],
    [
      'another life with the same record',
      registerWith(0, second, { [fields.life]: { S: 'x' } }),
      ['restarted', 'record', 'end'],
    ],
    ['the empty register', registerWith(0, undefined), ['restarted', 'end']],
    ['no item', undefined, ['restarted', 'end']],
  ])('is a restart if the store went back: %s (L11)', async (_what, item, news) => {
    storeItems(registerWith(0, second));
    const reader = open();
    await reader.read(never);
    table.stored.clear();
    if (item) storeItems(item);
    expect(await kindsAfter(reader)).toEqual(news);
  });

  it('is a restart once it was forgotten, also if the read in between failed (L12)', async () => {
    storeItems(registerWith(0, first));
    const reader = open();
    await reader.read(never);
    reader.forget(0);
    table.before = () => Promise.reject(new Error('away'));
    await expect(reader.read(never)).rejects.toMatchObject({ code: 'unreachable' });
    table.before = undefined;
    expect(await kindsAfter(reader)).toEqual(['restarted', 'record', 'end']);
    expect(await kindsAfter(reader)).toEqual([]);
  });

  it('carries the instant at which the answer arrived (L5)', async () => {
    storeItems(registerWith(0, first));
    table.before = () => new Promise((resolve) => void setTimeout(resolve, 700));
    const askedAt = store.clock.now();
    const reading = open().read(never);
    await vi.advanceTimersByTimeAsync(700);
    expect(await reading).toContainEqual({
      kind: 'record',
      record: first,
      receivedAt: askedAt + 700,
    });
  });

  const ignored = async (reader: Reader): Promise<readonly string[]> =>
    (await reader.read(never)).flatMap((one) => (one.kind === 'ignored' ? [one.what] : []));

  it('counts an unreadable item and a foreign item once, and no item of a member', async () => {
    storeItems(
      registerWith(0, first, { [fields.record]: { S: '{' } }),
      memberItemWith(presenceItem('b'), {}),
      memberItemWith(requestItem(0, 'b'), {}),
    );
    storeItems(memberItemWith('README', {}));
    const reader = open();
    expect(await ignored(reader)).toEqual(['foreign-item', 'unreadable-item']);
    expect(await ignored(reader)).toEqual([]);
  });

  it('counts at most 256 foreign items, because it remembers them', async () => {
    for (let index = 0; index < 300; index += 1) storeItems(memberItemWith(`x${index}`, {}));
    const reader = open();
    expect(await ignored(reader)).toHaveLength(256);
    expect(await ignored(reader)).toEqual([]);
  });
});

describe('a reader that only observes', () => {
  it('reads consistently if an eventually consistent read is older than the one before', async () => {
    storeItems(registerWith(0, second));
    const reader = open();
    await reader.read(never);
    table.stale = [registerWith(0, first)];
    expect(await reader.read(never)).toEqual([]);
    expect(table.asked.map(({ isConsistent }) => isConsistent)).toEqual([false, false, true]);
  });

  it('creates no register', async () => {
    expect(await open().read(never)).toEqual([{ kind: 'end', partitions: [0] }]);
    expect(written()).toEqual([]);
  });
});

describe('a reader that creates registers', () => {
  const registers = [pinRegister, 0, 1];
  const openMember = (): Reader => open({ begins: true, registers });
  const names = ['partition#0', 'partition#1'];

  it('creates the pin first, with the number of partitions, and reads consistently', async () => {
    await openMember().read(never);
    expect(written()).toEqual(['pin', ...names]);
    expect(table.stored.get('pin')?.[partitionsField]).toEqual({ N: '2' });
    expect(table.stored.get('partition#0')?.[partitionsField]).toBeUndefined();
    expect(
      table.asked.filter(({ kind, isConsistent }) => kind === 'items' && !isConsistent),
    ).toEqual([]);
    expect(await isAdmitted()).toBe(true);
  });

  it('replaces no register that another member creates at the same time', async () => {
    const theirs = registerWith(0, undefined, { [fields.life]: { S: 'theirs' } });
    table.before = ({ kind, item }) =>
      void (kind === 'put' && item === 'partition#0' && storeItems(theirs));
    await openMember().read(never);
    expect(table.stored.get('partition#0')).toEqual(theirs);
  });

  it.each<[string, Item]>([
    [
      'a genesis for another number of partitions',
      registerWith(pinRegister, undefined, { [partitionsField]: { N: '3' } }),
    ],
    ['another number of partitions', registerWith(pinRegister, pinOf(3, thresholdMsMax))],
    ['another thresholdMsMax', registerWith(pinRegister, pinOf(2, thresholdMsMax + 1))],
  ])(
    'creates none for a group that it does not belong to, and is not admitted: %s',
    async (_what, theirs) => {
      storeItems(theirs);
      await openMember().read(never);
      expect(written()).toEqual([]);
      expect(await isAdmitted()).toBe(false);
    },
  );

  it.each<[string, Item]>([
    ['a genesis without a number', registerWith(pinRegister, undefined)],
    [
      'a genesis for the same number',
      registerWith(pinRegister, undefined, { [partitionsField]: { N: '2' } }),
    ],
    ['the pin of its group', registerWith(pinRegister, pin)],
    [
      'a pin of the same homeRegion',
      registerWith(pinRegister, pin, { [homeRegionField]: { S: 'eu-west-1' } }),
    ],
  ])('creates those of its group, and is admitted: %s', async (_what, own) => {
    storeItems(own);
    await openMember().read(never);
    expect(written()).toEqual(names);
    expect(await isAdmitted()).toBe(true);
  });

  it.each<[string, Item, RegExp]>([
    [
      'an unreadable pin',
      registerWith(pinRegister, pin, { [fields.id]: { S: 'another' } }),
      /the pin of group "g" is unreadable/,
    ],
    [
      'another homeRegion',
      registerWith(pinRegister, pin, { [homeRegionField]: { S: 'us-east-1' } }),
      /runs with homeRegion "us-east-1"/,
    ],
    [
      'another guarantee',
      registerWith(pinRegister, pin, { [guaranteeField]: { S: 'continuous' } }),
      /runs with guarantee "continuous"/,
    ],
  ])('creates none and rejects: %s (R3)', async (_what, theirs, message) => {
    storeItems(theirs);
    await expect(openMember().read(never)).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringMatching(message),
    });
    expect(written()).toEqual([]);
    expect(await isAdmitted()).toBe(false);
  });

  it('creates 64 between two reads, with 16 requests in flight', async () => {
    let [inFlight, most] = [0, 0];
    table.before = async ({ kind }) => {
      if (kind !== 'put') return;
      inFlight += 1;
      most = Math.max(most, inFlight);
      await Promise.resolve();
      inFlight -= 1;
    };
    await new Reader(store, { partitions: 150, thresholdMsMax, begins: true }, [
      ...Array(150).keys(),
    ]).read(never);
    expect(most).toBe(16);
    expect(table.stored.size).toBe(150);
    const readAt = table.asked.flatMap(({ kind }, index) => (kind === 'items' ? [index] : []));
    expect(readAt).toEqual([0, 65, 130, 153]);
  });

  it('gives up after some rounds if the items that it creates are deleted at once', async () => {
    table.before = ({ kind }) => void (kind === 'items' && table.stored.clear());
    await expect(openMember().read(never)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/deleted as fast as/),
    });
    expect(table.asked.filter(({ kind }) => kind === 'items').length).toBeLessThan(8);
  });
});

describe('the time limit of a read', () => {
  /** The default T is 3 s: an answer may take a third of it, and 5 s while the group is opened. */
  const [limitMs, openingMs] = [1000, 5000];

  it('is long while the group is opened, also for the registers that are created', async () => {
    table.before = ({ kind }) =>
      kind === 'put' ? swallow() : new Promise((resolve) => void setTimeout(resolve, 4000));
    const ended = open({ begins: true }).read(never).catch(String);
    await vi.advanceTimersByTimeAsync(4000);
    expect(written()).toEqual([registerItem(0)]);
    await vi.advanceTimersByTimeAsync(openingMs - 1);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await ended).toContain('no answer within 5000 ms');
  });

  it('is a third of T from then on', async () => {
    const reader = open();
    await reader.read(never);
    table.before = swallow;
    const ended = reader.read(never).catch(String);
    await vi.advanceTimersByTimeAsync(limitMs);
    expect(await ended).toContain('table "leases": no answer within 1000 ms');
  });
});

/** Whether the group has admitted this member. */
async function isAdmitted(): Promise<boolean> {
  const stop = new AbortController();
  const next = store.admission.follow(stop.signal).next();
  stop.abort();
  return !(await next).done;
}
