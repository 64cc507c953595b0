import { type LedgerRecord, pinRegister, type WriteOutcome } from '@leadership/core/adapter';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Guarantee } from '../../src/election.ts';
import { fields, guaranteeField, type Item, registerItem } from '../../src/table/layout.ts';
import { begin, put } from '../../src/table/put.ts';
import { type Row, rowOf } from '../../src/table/row.ts';
import { type Store, storeOf } from '../../src/table/store.ts';
import { fakeHost } from '../support/fake-host.ts';
import { group, pinOf, recordOf, registerWith } from '../support/plain-items.ts';
import { type PlainTable, plainTable } from '../support/plain-table.ts';

const never = new AbortController().signal;
const place = { group, partition: 0, thresholdMsMax: 5000 };
const name = registerItem(0);
let table: PlainTable;
beforeEach(() => {
  table = plainTable();
});

const storeFor = (guarantee: Guarantee = 'exclusive'): Store =>
  storeOf({ table, group, thresholdMs: 3000, guarantee }, fakeHost('a'));

/** Stores the item, and returns it as a member has read it. */
function stored(item: Item): Row {
  table.stored.set(name, item);
  return rowOf(place, item);
}

/** The next record after `row`, by this member. */
function nextTo({ record }: Row, change: Partial<LedgerRecord> = {}): LedgerRecord {
  const own = {
    id: 'a/1',
    member: 'a',
    incarnation: 'a',
    after: record?.id ?? null,
    height: (record?.height ?? -1) + 1,
  };
  return recordOf(0, { ...own, ...change });
}

async function writtenOver(
  known: Row,
  record: LedgerRecord = nextTo(known),
): Promise<WriteOutcome> {
  return (await put(storeFor(), record, known, never)).written;
}

describe('a record', () => {
  it('is not written before its register was read', async () => {
    await expect(put(storeFor(), recordOf(0), undefined, never)).rejects.toMatchObject({
      code: 'unreachable',
      message: 'table "leases": partition 0 has not been read yet',
    });
    expect(table.asked).toEqual([]);
  });

  it('replaces the record or the genesis that it names, and keeps the life of the register', async () => {
    for (const known of [undefined, recordOf(0)]) {
      const row = stored(registerWith(0, known));
      expect(await writtenOver(row)).toBe('in-effect');
      expect(table.stored.get(name)).toEqual(registerWith(0, nextTo(row)));
    }
  });

  it.each<[string, Item]>([
    ['another record', registerWith(0, recordOf(0, { id: 'c/1' }))],
    [
      'the same record in another life',
      registerWith(0, recordOf(0), { [fields.life]: { S: 'x' } }),
    ],
    ['a genesis', registerWith(0, undefined)],
  ])('does not replace what its writer has not read: %s (L1)', async (_what, now) => {
    const row = stored(registerWith(0, recordOf(0)));
    table.stored.set(name, now);
    expect(await writtenOver(row)).toBe('refused');
    expect(table.stored.get(name)).toEqual(now);
  });

  it('does not replace a record that is there instead of the genesis (L1)', async () => {
    const row = stored(registerWith(0, undefined));
    table.stored.set(name, registerWith(0, recordOf(0)));
    expect(await writtenOver(row)).toBe('refused');
  });

  it('is in effect if a retry of the SDK finds it, and refused if it finds another one', async () => {
    const row = stored(registerWith(0, recordOf(0)));
    table.before = () => void table.stored.set(name, registerWith(0, nextTo(row)));
    expect(await writtenOver(row)).toBe('in-effect');
    table.before = () => void table.stored.set(name, registerWith(0, nextTo(row, { id: 'c/1' })));
    expect(await writtenOver(row)).toBe('refused');
  });
});

describe('an unreadable item', () => {
  const garbage: Item = registerWith(0, recordOf(0), { [fields.id]: { S: 'x' } });

  it('is replaced while it reads the same, and keeps its life', async () => {
    const row = stored(garbage);
    expect(row.strange).toBe(true);
    expect(await writtenOver(row)).toBe('in-effect');
    expect(table.stored.get(name)?.[fields.life]).toEqual(garbage[fields.life]);
  });

  it.each([fields.life, fields.id, fields.record])(
    'is not replaced once another member has changed it: %s',
    async (field) => {
      const row = stored(garbage);
      const changed = { ...garbage, [field]: { S: 'changed' } };
      table.stored.set(name, changed);
      expect(await writtenOver(row)).toBe('refused');
      expect(table.stored.get(name)).toEqual(changed);
    },
  );

  it('is not created again once it was deleted, even if it had no attributes', async () => {
    const { [fields.life]: _, ...empty } = registerWith(0, undefined);
    const row = stored(empty);
    expect(row.strange).toBe(true);
    table.stored.delete(name);
    expect(await writtenOver(row)).toBe('refused');
    expect(table.stored.size).toBe(0);
  });

  it('is not replaced by a record that follows another one', async () => {
    const row = stored(garbage);
    expect(await writtenOver(row, nextTo(row, { after: 'b/1' }))).toBe('refused');
  });
});

describe('the pin', () => {
  it.each<[Guarantee, number, object | undefined]>([
    ['continuous', pinRegister, { S: 'continuous' }],
    ['exclusive', pinRegister, undefined],
    ['continuous', 0, undefined],
  ])(
    'alone holds the guarantee of the group, unless it is the default: %s in register %d (R3)',
    async (guarantee, partition, field) => {
      const record = partition === pinRegister ? pinOf(2, 5000) : recordOf(0);
      const item = registerWith(partition, undefined);
      table.stored.set(registerItem(partition), item);
      await put(storeFor(guarantee), record, rowOf({ ...place, partition }, item), never);
      expect(table.stored.get(registerItem(partition))?.[guaranteeField]).toEqual(field);
    },
  );
});

describe('a genesis', () => {
  it('gives each register another life', async () => {
    await begin(storeFor(), 0, 2, never);
    await begin(storeFor(), 1, 2, never);
    const lives = [...table.stored.values()].map((item) => item[fields.life]?.S);
    expect(new Set(lives).size).toBe(2);
  });

  it('does not replace an item', async () => {
    const item = registerWith(0, undefined);
    table.stored.set(name, item);
    await begin(storeFor(), 0, 2, never);
    expect(table.stored.get(name)).toEqual(item);
  });
});
