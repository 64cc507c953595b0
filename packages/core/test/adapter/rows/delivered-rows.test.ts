import { describe, expect, it } from 'vitest';
import { registerRowName } from '../../../src/adapter/rows/names.ts';
import { jsonFields } from '../../../src/engine/envelope.ts';
import { pinRegister } from '../../../src/ledger/record.ts';
import {
  kindsOf,
  type TableGroup,
  type TableMember,
  tableGroup,
  thresholdMs,
} from '../../support/table-member.ts';

const row = registerRowName(0);

/** A group whose leader has just released its lease, which `other` has not read yet. */
async function released(to?: object): Promise<{
  readonly group: TableGroup;
  readonly one: TableMember;
  readonly other: TableMember;
  readonly text: string;
}> {
  const group = tableGroup();
  const [one, other] = [await group.join('one'), await group.join('other')];
  await one.write();
  await group.read();
  await one.write({ kind: 'release', ...to });
  return { group, one, other, text: group.store.texts.get(row) ?? '' };
}

describe('a delivered row', () => {
  it('that releases the lease is reported without a read, and can be claimed at once', async () => {
    const { group, one, other, text } = await released();
    const reads = other.rows.reads.length;
    other.rows.wake({ name: row, text });
    await group.clock.pass(0);
    expect(other.current()).toEqual(one.current());
    expect(other.events.at(-1)).toMatchObject({ kind: 'record', receivedAt: group.clock.now() });
    expect(await other.write()).toBe('in-effect');
    expect(other.rows.reads.length).toBe(reads);
  });

  it('does not postpone the next read', async () => {
    const { group, other, text } = await released();
    const reads = other.rows.reads.length;
    for (let quarter = 0; quarter < 4; quarter += 1) {
      other.rows.wake({ name: row, text });
      await group.clock.pass(0.275 * thresholdMs);
    }
    expect(other.rows.reads.length - reads).toBeGreaterThanOrEqual(4);
    expect(kindsOf(other)).not.toContain('restarted');
  });

  it('that is old, or repeated, only makes the reader read', async () => {
    const { group, one, other, text } = await released();
    await other.write().catch(() => undefined);
    await group.read();
    const reads = other.rows.reads.length;
    await one.write();
    for (const [index, wake] of [text, text].entries()) {
      other.rows.wake({ name: row, text: wake });
      await group.clock.pass(0);
      expect(other.rows.reads.length).toBe(reads + index + 1);
    }
    expect(kindsOf(other)).not.toContain('restarted');
    expect(other.current()).toEqual(one.current());
  });

  it('that the store does not hold only costs a refused claim and a read', async () => {
    const { group, other, text } = await released();
    await group.read();
    const record = jsonFields(text);
    const forged = { ...record, id: 'forged/1', after: record?.['id'], height: 2 };
    other.rows.wake({ name: row, text: JSON.stringify(forged) });
    await group.clock.pass(0);
    expect(other.current()?.id).toBe('forged/1');
    expect(await other.write()).toBe('refused');
    await group.clock.pass(0);
    expect(kindsOf(other).slice(-3)).toEqual(['restarted', 'record', 'end']);
    expect(group.store.texts.get(row)).toBe(text);
  });

  it.each([
    [
      'a release to a successor',
      { kind: 'release', to: { member: 'other', incarnation: 'other-life', requestId: 'w' } },
    ],
    ['a hold', { kind: 'hold' }],
    ['a record of another kind', { kind: 'later' }],
    ['a record of another life', { life: 'another' }],
    ['a record of another group', { group: 'another' }],
    ['garbage', undefined],
  ])('is not believed: %s', async (_what, changes) => {
    const { group, one, other, text } = await released();
    const [reads, events] = [other.rows.reads.length, other.events.length];
    const wrong = changes
      ? JSON.stringify({ ...jsonFields(text), id: 'wrong/1', ...changes })
      : 'garbage';
    other.rows.wake({ name: row, text: wrong });
    await group.clock.pass(0);
    expect(other.rows.reads.length).toBe(reads + 1);
    expect(kindsOf(other).slice(events)).toEqual(['record']);
    expect(other.current()).toEqual(one.current());
  });

  it.each([registerRowName(pinRegister), registerRowName(7), 'member#x', 'foreign'])(
    'of another name makes the reader read: %s',
    async (name) => {
      const { group, one, other, text } = await released();
      const reads = other.rows.reads.length;
      other.rows.wake({ name, text });
      await group.clock.pass(0);
      expect(other.rows.reads.length).toBe(reads + 1);
      expect(other.current()).toEqual(one.current());
    },
  );

  it('over this member’s own lease is read from the store, and ends no term', async () => {
    const group = tableGroup();
    const one = await group.join('one');
    await one.write();
    const hold = jsonFields(group.store.texts.get(row) ?? '');
    const forged = { ...hold, id: 'forged/1', after: hold?.['id'], height: 1, kind: 'release' };
    const [reads, events] = [one.rows.reads.length, one.events.length];
    one.rows.wake({ name: row, text: JSON.stringify(forged) });
    await group.clock.pass(0);
    expect(one.rows.reads.length).toBe(reads + 1);
    expect(one.events.slice(events).map(({ kind }) => kind)).toEqual(['record']);
    expect(one.current()).toMatchObject({ id: 'one/1', kind: 'hold' });
  });

  it('waits for a read that is under way, and is not mistaken for a store that went back', async () => {
    const group = tableGroup();
    let [isSlow, land] = [false, (): void => undefined];
    const one = await group.join('one');
    const other = await group.join(
      'other',
      {},
      {
        list(_reading, send) {
          const rows = send();
          if (!isSlow) return rows;
          return new Promise((resolve) => {
            land = () => resolve(rows);
          });
        },
      },
    );
    await one.write();
    await group.read();
    isSlow = true;
    other.rows.wake();
    await group.clock.pass(0);
    await one.write({ kind: 'release' });
    isSlow = false;
    other.rows.wake({ name: row, text: group.store.texts.get(row) ?? '' });
    await group.clock.pass(0);
    land();
    await group.clock.pass(0);
    expect(other.current()).toEqual(one.current());
    expect(kindsOf(other)).not.toContain('restarted');
  });

  it('after a request to read the register again waits for that read (L12)', async () => {
    const { group, other, text } = await released();
    const reads = other.rows.reads.length;
    other.ledger.reread(0);
    other.rows.wake({ name: row, text });
    await group.clock.pass(0);
    expect(other.rows.reads.length).toBe(reads + 1);
    expect(kindsOf(other).slice(-3)).toEqual(['restarted', 'record', 'end']);
  });

  it('in a flood of others costs one read', async () => {
    const { group, one, other } = await released();
    const reads = other.rows.reads.length;
    for (let index = 0; index < 1000; index += 1)
      other.rows.wake({ name: `flood ${index}`, text: 'x' });
    await group.clock.pass(0);
    expect(other.rows.reads.length).toBe(reads + 1);
    expect(other.current()).toEqual(one.current());
  });
});
