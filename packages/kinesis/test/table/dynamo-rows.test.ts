import type { RowChange, Rows } from '@leadership/core/internal/lease';
import { beforeEach, describe, expect, it } from 'vitest';
import { agreementOf } from '../../src/table/agreement.ts';
import { dynamoRows } from '../../src/table/dynamo-rows.ts';
import { type Item, textField } from '../../src/table/layout.ts';
import { storeOf } from '../../src/table/store.ts';
import { fakeHost } from '../support/fake-host.ts';
import { type PlainTable, plainTable } from '../support/plain-table.ts';

const { signal } = new AbortController();
const keysOf = (name: string): Item => ({ group: { S: 'g' }, item: { S: name } });
const itemWith = (name: string, text: string): Item => ({
  ...keysOf(name),
  [textField]: { S: text },
});
let table: PlainTable;
let rows: Rows;
let notified: number;
beforeEach(() => {
  table = plainTable();
  notified = 0;
  const store = storeOf(
    { table, group: 'g', thresholdMs: 3000, guarantee: 'exclusive' },
    fakeHost('a'),
  );
  rows = dynamoRows(store, {
    partitions: 1,
    create: false,
    close: () => undefined,
    notifications: {
      notify() {
        notified += 1;
      },
      listen: () => Promise.resolve(),
      close: () => undefined,
    },
  });
});

const list = () => rows.list({ signal, mayLag: false });
const replace = (expected: string | null, text: string | null, more: Partial<RowChange> = {}) =>
  rows.replace({ name: 'row', expected, text, isAwaited: false, ...more }, signal);

describe('a row', () => {
  it('is an item with the two keys and a text', async () => {
    expect(await replace(null, 'one')).toEqual({ isDone: true });
    expect([...table.stored.values()]).toEqual([itemWith('row', 'one')]);
    expect(await replace('one', 'two')).toEqual({ isDone: true });
    expect(await list()).toEqual(new Map([['row', 'two']]));
    expect(await replace('two', null)).toEqual({ isDone: true });
    expect(table.stored.size).toBe(0);
  });

  it.each([
    { expected: null, text: 'two' },
    { expected: 'none', text: 'two' },
    { expected: 'none', text: null },
  ])('is not changed if it holds another text: %j (L1)', async ({ expected, text }) => {
    table.stored.set('row', itemWith('row', 'one'));
    expect(await replace(expected, text)).toEqual({ isDone: false, found: 'one' });
    expect(await list()).toEqual(new Map([['row', 'one']]));
  });

  it('that was deleted is not created again', async () => {
    expect(await replace('one', 'two')).toEqual({ isDone: false });
    expect(table.stored.size).toBe(0);
  });
});

describe('an item whose text attribute a stranger wrote', () => {
  const strange: Readonly<Record<string, Item>> = {
    missing: {},
    'a number': { [textField]: { N: '7' } },
    binary: { [textField]: { B: new Uint8Array([1, 2]) } },
  };
  const spoil = (attributes: Item): void =>
    void table.stored.set('row', { ...keysOf('row'), ...attributes });

  it.each(Object.entries(strange))('is a row with a text: %s', async (_what, attributes) => {
    spoil(attributes);
    const text = (await list()).get('row') ?? null;
    expect(text).toMatch(/^no text: /);
    expect(await replace(text, 'two')).toEqual({ isDone: true });
    expect([...table.stored.values()]).toEqual([itemWith('row', 'two')]);
  });

  it.each(Object.entries(strange))(
    'is not replaced once it was changed or deleted: %s',
    async (_what, attributes) => {
      for (const other of [{ N: '8' }, { S: 'x' }]) {
        spoil(attributes);
        const text = (await list()).get('row') ?? '';
        spoil({ [textField]: other });
        expect(await replace(text, 'two')).toMatchObject({ isDone: false });
      }
      spoil(attributes);
      const text = (await list()).get('row') ?? '';
      table.stored.delete('row');
      expect(await replace(text, 'two')).toEqual({ isDone: false });
      expect(await replace(text, null)).toEqual({ isDone: false });
      expect(table.stored.size).toBe(0);
    },
  );

  it('does not change how the same text is read in another item', async () => {
    spoil({ [textField]: { N: '7' } });
    const text = (await list()).get('row') ?? '';
    table.stored.set('other', itemWith('other', text));
    await list();
    expect(await replace(text, 'two', { name: 'other' })).toEqual({ isDone: true });
    expect(await replace(text, 'two')).toEqual({ isDone: true });
  });

  it('that a write lost to can be replaced next', async () => {
    spoil({ [textField]: { N: '7' } });
    const { found = null } = await replace('one', 'two');
    expect(await replace(found, 'two')).toEqual({ isDone: true });
  });
});

describe('the other members', () => {
  it.each<[string, Partial<RowChange>, number]>([
    ['of a change that they await', { isAwaited: true }, 1],
    ['of no other change', { isAwaited: false }, 0],
  ])('are notified %s', async (_what, more, notifications) => {
    await replace(null, 'one', more);
    expect(notified).toBe(notifications);
  });

  it('are notified of a change that the SDK repeats, because its first reply was lost', async () => {
    table.stored.set('row', itemWith('row', 'one'));
    expect(await replace('zero', 'one', { isAwaited: true })).toMatchObject({ isDone: false });
    expect(notified).toBe(1);
  });

  it('are not notified of a change that failed, or whose outcome is unknown', async () => {
    table.stored.set('row', itemWith('row', 'one'));
    await replace('zero', 'two', { isAwaited: true });
    table.before = () => Promise.reject(new Error('away'));
    await expect(replace('one', 'two', { isAwaited: true })).rejects.toThrow('away');
    expect(notified).toBe(0);
  });
});

describe('the values that members agree on', () => {
  const agreement = (guarantee: 'exclusive' | 'continuous', homeRegion?: string) =>
    agreementOf({ group: 'g', guarantee, homeRegion });

  it.each([
    { own: agreement('exclusive'), values: {} },
    { own: agreement('continuous'), values: { guarantee: 'continuous' } },
    { own: agreement('exclusive', 'eu'), values: { homeRegion: 'eu' } },
  ])('are pinned unless they are the default: $values (R3)', ({ own, values }) => {
    expect(own.values).toEqual(values);
  });

  it.each<[string, ReturnType<typeof agreement>, Readonly<Record<string, string>>, RegExp?]>([
    [
      'the same values',
      agreement('continuous', 'eu'),
      { guarantee: 'continuous', homeRegion: 'eu' },
    ],
    ['no pinned home region', agreement('exclusive', 'eu'), {}],
    ['no home region of its own', agreement('exclusive'), { homeRegion: 'eu' }],
    ['another guarantee', agreement('continuous'), {}, /runs with guarantee "exclusive"/],
    [
      'another guarantee than the default',
      agreement('exclusive'),
      { guarantee: 'continuous' },
      /runs with guarantee "continuous"/,
    ],
    [
      'another home region',
      agreement('exclusive', 'eu'),
      { homeRegion: 'us' },
      /runs with homeRegion "us", but this member is configured with "eu"/,
    ],
  ])('accept or refuse a member: %s (R3)', (_what, own, pinned, refusal) => {
    if (refusal === undefined) expect(own.refusal(pinned)).toBeUndefined();
    else expect(own.refusal(pinned)).toMatch(refusal);
  });
});
