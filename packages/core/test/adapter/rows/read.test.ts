import { describe, expect, it } from 'vitest';
import { registerRowName } from '../../../src/adapter/rows/names.ts';
import { pinRegister } from '../../../src/ledger/record.ts';
import { turn } from '../../support/manual-clock.ts';
import {
  kindsOf,
  type TableGroup,
  type TableMember,
  tableGroup,
  thresholdMs,
} from '../../support/table-member.ts';

const row = registerRowName(0);
const pin = registerRowName(pinRegister);
const ignored = ({ events }: TableMember) =>
  events.flatMap((item) => (item.kind === 'ignored' ? [item.what] : []));
const partitions = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, partition) => partition);

describe('a reader of rows', () => {
  it('reports an empty register as read to its end, after it has created the genesis', async () => {
    const group = tableGroup();
    const one = await group.join('one');
    expect(one.events).toEqual([{ kind: 'end', partitions: [0] }]);
    expect([...group.store.texts.keys()]).toEqual([row]);
  });

  it('creates the pin first, with the number of partitions, and then the registers', async () => {
    const group = tableGroup();
    const created: number[] = [];
    const one = await group.join(
      'one',
      { partitions: 2, registers: [pinRegister, 0, 1] },
      {
        list(_reading, send) {
          created.push(group.store.texts.size);
          return send();
        },
      },
    );
    expect(one.rows.sent.map(({ name }) => name)).toEqual([pin, row, registerRowName(1)]);
    // Another member may have created the pin: it is read before any register is created.
    expect(created).toEqual([0, 1, 3]);
    expect(JSON.parse(group.store.texts.get(pin) ?? '')).toMatchObject({ partitions: 2 });
  });

  it('creates no registers beside a pin that another number of partitions was proposed for', async () => {
    const group = tableGroup();
    await group.join('one', { partitions: 2, registers: [pinRegister] });
    const other = await group.join('other', {
      partitions: 8,
      registers: [pinRegister, ...partitions(8)],
    });
    expect(other.rows.sent).toEqual([]);
  });

  it('creates a bounded number of registers at a time, and each once', async () => {
    const group = tableGroup();
    let [inFlight, most] = [0, 0];
    const one = await group.join(
      'one',
      { partitions: 100, registers: partitions(100) },
      {
        async replace(_change, send) {
          inFlight += 1;
          most = Math.max(most, inFlight);
          await turn();
          inFlight -= 1;
          return send();
        },
      },
    );
    for (let turns = 0; turns < 50; turns += 1) await turn();
    expect(one.rows.sent).toHaveLength(100);
    expect(most).toBe(16);
    expect(kindsOf(one)).toHaveLength(100);
  });

  it('gives up after some rounds if the rows that it creates are deleted at once', async () => {
    const group = tableGroup();
    const one = await group.join('one', {}, { list: () => new Map() });
    await turn();
    expect(one.error).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('deleted as fast as they are created'),
    });
    expect(one.rows.reads.length).toBeLessThan(8);
  });

  it('counts each foreign row once, and a bounded number of them', async () => {
    const group = tableGroup();
    for (let index = 0; index < 300; index += 1) group.store.texts.set(`filler ${index}`, 'x');
    const one = await group.join('one');
    await group.read();
    expect(ignored(one)).toEqual(Array(256).fill('foreign-row'));
  });

  it('reports a register again on request (L12)', async () => {
    const group = tableGroup();
    const one = await group.join('one');
    await one.write();
    one.ledger.reread(0);
    await group.clock.pass(0);
    expect(kindsOf(one)).toEqual(['end', 'restarted', 'record', 'end']);
  });

  it('reports a failed read, backs off up to T/2, and does not restart', async () => {
    const group = tableGroup();
    let isAway = false;
    const one = await group.join(
      'one',
      {},
      {
        list(_reading, send) {
          if (isAway) throw new Error('gone fishing');
          return send();
        },
      },
    );
    isAway = true;
    await group.clock.pass(10 * thresholdMs);
    const reads = one.rows.reads.length;
    expect([...one.troubles]).toEqual(['rows in memory: gone fishing']);
    await group.clock.pass(10 * thresholdMs);
    // One read in 0.525 T: the pause is at most T/2, and half of the tenth by which it varies.
    expect(one.rows.reads.length - reads).toBe(19);
    isAway = false;
    await group.read();
    await group.read();
    expect(one.troubles.size).toBe(0);
    expect(kindsOf(one)).toEqual(['end']);
  });

  it('gives up a read that hangs after T/3', async () => {
    const group = tableGroup();
    let hangs = false;
    const one = await group.join(
      'one',
      {},
      { list: (_reading, send) => (hangs ? new Promise(() => undefined) : send()) },
    );
    hangs = true;
    await group.clock.pass(0.275 * thresholdMs + thresholdMs / 3);
    expect([...one.troubles]).toEqual(['rows in memory: no answer within 333 ms']);
  });

  it('reads at most once in T/4, and a tenth of it later at the latest', async () => {
    const group = tableGroup();
    const soonest = await group.join('soonest', { random: () => 0 });
    const latest = await group.join('latest', { random: () => 1 });
    const before = [soonest.rows.reads.length, latest.rows.reads.length];
    await group.clock.pass(11 * thresholdMs);
    const after = [soonest.rows.reads.length, latest.rows.reads.length];
    expect(after.map((count, index) => count - (before[index] ?? 0))).toEqual([44, 40]);
  });

  it('reads at once when it is notified', async () => {
    const group = tableGroup();
    const [one, other] = [await group.join('one'), await group.join('other')];
    await one.write();
    other.rows.wake();
    await group.clock.pass(0);
    expect(other.current()?.id).toBe(one.current()?.id);
  });

  it('reads no more once it is closed, and closes the rows', async () => {
    const group = tableGroup();
    const one = await group.join('one');
    await one.ledger.close();
    const reads = one.rows.reads.length;
    await group.clock.pass(10 * thresholdMs);
    expect(one.rows.reads.length).toBe(reads);
    expect(one.rows.isClosed).toBe(true);
    await expect(one.write()).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('an observer', () => {
  const observe = (group: TableGroup) => group.join('observer', { campaign: false });

  it('creates nothing, reads at half the rate of a candidate, and allows older states', async () => {
    const group = tableGroup();
    await observe(group);
    expect(group.store.changes).toEqual([]);
    const one = await group.join('one');
    const observer = await observe(group);
    const before = [one.rows.reads.length, observer.rows.reads.length] as const;
    await group.clock.pass(20 * thresholdMs);
    expect(
      (one.rows.reads.length - before[0]) / (observer.rows.reads.length - before[1]),
    ).toBeCloseTo(2, 0);
    expect(new Set(one.rows.reads.map(({ mayLag }) => mayLag))).toEqual(new Set([false]));
    expect(new Set(observer.rows.reads.map(({ mayLag }) => mayLag))).toEqual(new Set([true]));
  });

  it('reads again consistently where a read is older than the one before', async () => {
    const group = tableGroup();
    const one = await group.join('one');
    await one.write();
    let old: ReadonlyMap<string, string> | undefined;
    const observer = await group.join(
      'observer',
      { campaign: false },
      { list: ({ mayLag }, send) => (mayLag && old) || send() },
    );
    old = new Map(group.store.texts);
    await one.write();
    const newest = new Map(group.store.texts);
    [old] = [newest, old];
    await group.clock.pass(thresholdMs);
    old = new Map([[row, [...group.store.changes].map(({ text }) => text ?? '')[1] ?? '']]);
    await group.clock.pass(thresholdMs);
    expect(kindsOf(observer)).toEqual(['record', 'end', 'record']);
    expect(observer.current()?.id).toBe(one.current()?.id);
    expect(observer.rows.reads.some(({ mayLag }) => !mayLag)).toBe(true);
  });

  it('that campaigns later creates the group and reads as often as a candidate', async () => {
    const group = tableGroup();
    const observer = await observe(group);
    expect(group.store.changes).toEqual([]);
    const campaign = (on: boolean): void => {
      observer.ledger.setCandidate?.(on);
      observer.placement.setCandidate(on);
    };
    campaign(true);
    await group.clock.pass(0);
    expect(observer.rows.opened).toEqual([false, true]);
    expect([...group.store.texts.keys()]).toContain(row);
    // The wait for the missing register proves nothing about the one that it has created (L5).
    expect(kindsOf(observer)).toEqual(['end', 'restarted', 'end']);
    const reads = observer.rows.reads.length;
    await group.clock.pass(10 * thresholdMs);
    expect(observer.rows.reads.length - reads).toBeGreaterThanOrEqual(36);
    campaign(false);
    await group.clock.pass(thresholdMs);
    expect(observer.rows.reads.at(-1)?.mayLag).toBe(true);
  });
});

describe('a register that cannot be read', () => {
  it.each([
    '',
    'garbage',
    '{"life":""}',
    '{"life":"x","id":"y"}',
    '{"life":"x","id":3}',
    '[]',
    'null',
  ])(
    'counts as the same hold by a stranger for each reader, and can be replaced: %s',
    async (text) => {
      const group = tableGroup();
      const one = await group.join('one');
      await one.write();
      group.store.texts.set(row, text);
      await group.read();
      const late = await group.join('late');
      expect(late.current()).toEqual(one.current());
      expect(late.current()).toMatchObject({
        member: 'unreadable',
        height: 0,
        kind: 'hold',
        thresholdMs: 5000,
      });
      expect(ignored(late)).toEqual(['unreadable-row']);
      expect(await late.write()).toBe('in-effect');
      expect(await one.write()).toBe('refused');
      expect(await late.write()).toBe('in-effect');
      const before = kindsOf(late).length;
      await group.read();
      expect(kindsOf(late).slice(before)).not.toContain('restarted');
      expect(one.current()?.id).toBe(late.current()?.id);
    },
  );

  it.each([{ group: 'another' }, { partition: 1 }])(
    'is one that holds the record of another register: %j',
    async (place) => {
      const group = tableGroup();
      const one = await group.join('one');
      await one.write();
      const text = group.store.texts.get(row) ?? '';
      group.store.texts.set(row, JSON.stringify({ ...JSON.parse(text), ...place }));
      await group.read();
      expect(one.current()).toMatchObject({ member: 'unreadable', group: 'g', partition: 0 });
    },
  );

  it('is a final error if it is the pin', async () => {
    const group = tableGroup();
    group.store.texts.set(pin, 'garbage');
    const one = await group.join('one', { registers: [pinRegister, 0] });
    expect(one.error).toMatchObject({
      code: 'misconfigured-backend',
      message:
        'rows in memory: the pin of group "g" is unreadable: stop all members, delete the rows of the group, and start them again',
    });
  });
});

describe('the pin', () => {
  const agreement = (colour: string) => ({
    values: { colour },
    refusal: (pinned: Readonly<Record<string, string>>) =>
      pinned['colour'] === colour ? undefined : `the colour is ${pinned['colour']}`,
  });
  const pinning = { registers: [pinRegister, 0] };
  const asPin = { partition: pinRegister, kind: 'pin', after: null, height: 0 };
  const values = { metadata: { partitions: '1', thresholdMsMax: '5000' } };

  it('holds the values that the members agree on, and refuses a member with others (R3)', async () => {
    const group = tableGroup();
    const one = await group.join('one', { ...pinning, agreement: agreement('red') });
    expect(await one.write({ ...asPin, ...values })).toBe('in-effect');
    const alike = await group.join('alike', { ...pinning, agreement: agreement('red') });
    expect(alike.error).toBeUndefined();
    const other = await group.join('other', { ...pinning, agreement: agreement('blue') });
    expect(other.error).toMatchObject({
      code: 'misconfigured-backend',
      message: 'rows in memory: the colour is red',
    });
  });

  it.each([
    ['another number of partitions', { partitions: 2, registers: [pinRegister, 0, 1] }],
    ['another thresholdMsMax', { thresholdMsMax: 9000 }],
    ['another agreement', { agreement: agreement('blue') }],
  ])('keeps a member from writing anything: %s', async (_what, options) => {
    const group = tableGroup();
    const one = await group.join('one', pinning);
    await one.write({ ...asPin, ...values });
    const other = await group.join('other', { ...pinning, ...options });
    other.placement.setCandidate(true);
    await group.clock.pass(3 * thresholdMs);
    expect(other.rows.sent).toEqual([]);
  });
});
