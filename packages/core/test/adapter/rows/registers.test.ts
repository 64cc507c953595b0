// What a reader reports about registers, and which of them it creates: in addition to read.test.ts,
// the cases in which the store went back, hangs, or is changed by others at the same time.
import { describe, expect, it } from 'vitest';
import {
  presenceRowName,
  registerRowName,
  requestRowName,
} from '../../../src/adapter/rows/names.ts';
import { genesisText, recordText } from '../../../src/adapter/rows/register-row.ts';
import { jsonFields } from '../../../src/engine/envelope.ts';
import { type LedgerRecord, pinRegister } from '../../../src/ledger/record.ts';
import type { RowsFaults } from '../../support/memory-rows.ts';
import { kindsOf, pass, tableGroup, thresholdMs } from '../../support/table-member.ts';

const row = registerRowName(0);
const pin = registerRowName(pinRegister);

/** A record by another member, as the row of a register holds it. */
function textOf(life: string, change: Partial<LedgerRecord> = {}): string {
  const record: LedgerRecord = {
    group: 'g',
    partition: 0,
    id: 'b/2',
    after: 'b/1',
    height: 1,
    member: 'b',
    incarnation: 'b',
    kind: 'hold',
    token: 1n,
    thresholdMs,
    ...change,
  };
  return recordText(life, record, {});
}

describe('the news of a register', () => {
  it('is nothing while the row reads the same, and the record after a renewal', async () => {
    const group = tableGroup();
    group.store.texts.set(row, textOf('x'));
    const one = await group.join('one');
    await group.read();
    expect(kindsOf(one)).toEqual(['record', 'end']);
    group.store.texts.set(row, textOf('x', { id: 'b/3', after: 'b/2', height: 2 }));
    await group.read();
    await group.read();
    expect(kindsOf(one)).toEqual(['record', 'end', 'record']);
  });

  it('is the record without a restart if it is the first one of an empty register', async () => {
    const group = tableGroup();
    group.store.texts.set(row, genesisText('x', 0, 1));
    const one = await group.join('one');
    group.store.texts.set(row, textOf('x', { height: 7 }));
    await group.read();
    expect(kindsOf(one)).toEqual(['end', 'record']);
  });

  it.each<[string, string | undefined, readonly string[]]>([
    ['a lower height', textOf('x', { id: 'b/1', height: 0 }), ['record']],
    ['the same height', textOf('x', { id: 'c/1' }), ['record']],
    ['another life with a greater height', textOf('y', { id: 'c/1', height: 9 }), ['record']],
    ['another life with the same record', textOf('y'), ['record']],
    ['the empty register of the same life', genesisText('x', 0, 1), []],
    ['no row', undefined, []],
  ])('is a restart if the store went back: %s (L11)', async (_what, text, updates) => {
    const group = tableGroup();
    group.store.texts.set(row, textOf('x'));
    const [one, observer] = [
      await group.join('one'),
      await group.join('observer', { campaign: false }),
    ];
    if (text === undefined) group.store.texts.delete(row);
    else group.store.texts.set(row, text);
    await group.read();
    for (const member of [one, observer])
      expect(kindsOf(member)).toEqual(['record', 'end', 'restarted', ...updates, 'end']);
  });

  it('is a restart once a reread was requested, also if the read in between failed (L12)', async () => {
    const group = tableGroup();
    let isAway = false;
    const faults: RowsFaults = {
      list(_reading, send) {
        if (isAway) throw new Error('away');
        return send();
      },
    };
    const one = await group.join('one', {}, faults);
    isAway = true;
    one.ledger.reread(0);
    await pass(group, 0.1);
    expect(one.troubles.size).toBe(1);
    expect(kindsOf(one)).toEqual(['end']);
    isAway = false;
    await group.read();
    await group.read();
    expect(kindsOf(one)).toEqual(['end', 'restarted', 'end']);
  });

  it('carries the instant at which the answer arrived (L5)', async () => {
    const group = tableGroup();
    group.store.texts.set(row, textOf('x'));
    const askedAt = group.clock.now();
    const slow: RowsFaults = {
      list: (_reading, send) =>
        new Promise((resolve) => {
          const rows = send();
          group.clock.wake((askedAt + 700) as typeof askedAt, () => resolve(rows));
        }),
    };
    const one = await group.join('one', {}, slow);
    await pass(group, 0.7);
    expect(one.events[0]).toMatchObject({ kind: 'record', receivedAt: askedAt + 700 });
  });

  it('counts an unreadable row and a foreign row once, and no row of a member', async () => {
    const group = tableGroup();
    const { texts } = group.store;
    for (const name of [row, 'README', presenceRowName('b'), requestRowName(0, 'b')])
      texts.set(name, 'garbage');
    const one = await group.join('one');
    await group.read();
    const ignored = one.events.flatMap((item) => (item.kind === 'ignored' ? [item.what] : []));
    expect(ignored).toEqual(['foreign-row', 'unreadable-row']);
  });
});

describe('a genesis', () => {
  it('gives each register another life', async () => {
    const group = tableGroup();
    await group.join('one', { partitions: 2, registers: [pinRegister, 0, 1] });
    group.store.texts.delete(row);
    await group.read();
    const lives = group.store.changes.map(({ text }) => jsonFields(text ?? '')?.['life']);
    expect(lives).toHaveLength(4);
    expect(new Set(lives).size).toBe(4);
  });

  it('does not replace the row that another member creates at the same time', async () => {
    const group = tableGroup();
    const theirs = genesisText('theirs', 0, 1);
    const one = await group.join(
      'one',
      {},
      {
        replace(_change, send) {
          group.store.texts.set(row, theirs);
          return send();
        },
      },
    );
    expect(one.rows.sent).toHaveLength(1);
    expect(group.store.texts.get(row)).toBe(theirs);
    expect(await one.write()).toBe('in-effect');
  });

  it.each<[string, string]>([
    ['its genesis names no number of partitions', '{"life":"x"}'],
    ['its genesis names the same number', genesisText('x', pinRegister, 2)],
    [
      'it names the same number and cap',
      textOf('x', {
        partition: pinRegister,
        kind: 'pin',
        after: null,
        height: 0,
        metadata: { partitions: '2', thresholdMsMax: '5000' },
      }),
    ],
  ])('is created beside a pin that matches: %s', async (_what, text) => {
    const group = tableGroup();
    group.store.texts.set(pin, text);
    const one = await group.join('one', { partitions: 2, registers: [pinRegister, 0, 1] });
    one.placement.setCandidate(true);
    await pass(group, 0.1);
    const created = [row, registerRowName(1), presenceRowName(one.incarnation)];
    expect(one.rows.sent.map(({ name }) => name)).toEqual(created);
  });

  it('is created for 64 registers between two reads', async () => {
    const group = tableGroup();
    const partitions = 150;
    const created: number[] = [];
    await group.join(
      'one',
      { partitions, registers: [...Array(partitions).keys()] },
      {
        list(_reading, send) {
          created.push(group.store.changes.length);
          return send();
        },
      },
    );
    expect(created).toEqual([0, 64, 128, 150]);
  });
});

describe('the time limit of a request', () => {
  const never = (): Promise<never> => new Promise(() => undefined);

  it('is five seconds while the group is opened, also for the registers that are created', async () => {
    const group = tableGroup();
    const one = await group.join('one', {}, { replace: never });
    expect(one.rows.sent).toHaveLength(1);
    await group.clock.pass(4999);
    expect(one.error).toBeUndefined();
    await group.clock.pass(1);
    expect(one.error).toMatchObject({ message: 'rows in memory: no answer within 5000 ms' });
  });

  it('is T/3 for the registers that are created later', async () => {
    const group = tableGroup();
    let hangs = false;
    const one = await group.join(
      'one',
      {},
      { replace: (_change, send) => (hangs ? never() : send()) },
    );
    hangs = true;
    group.store.texts.delete(row);
    await pass(group, 0.275 + 0.34);
    expect([...one.troubles]).toEqual(['rows in memory: no answer within 333 ms']);
  });
});
