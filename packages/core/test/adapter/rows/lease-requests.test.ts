import { describe, expect, it } from 'vitest';
import { presenceRowName, requestRowName } from '../../../src/adapter/rows/names.ts';
import type { LeaseRequest } from '../../../src/ledger/ledger.ts';
import type { RowsFaults } from '../../support/memory-rows.ts';
import {
  followMembers,
  forever,
  pass,
  type TableMember,
  tableGroup,
  thresholdMs,
} from '../../support/table-member.ts';

const request = (member: TableMember, id: string): LeaseRequest => ({
  partition: 0,
  id,
  incarnation: member.incarnation,
  member: 'm',
  thresholdMs,
});

describe('lease requests in rows', () => {
  const send = (member: TableMember, id: string) =>
    member.ledger.leaseRequests?.send(request(member, id), forever);

  it('are received by the others with every new id, and make their sender read four times as often', async () => {
    const group = tableGroup();
    const [one, other] = [await group.join('one'), await group.join('other')];
    const seen = followMembers(one);
    const own = followMembers(other);
    await send(other, 'first');
    await pass(group, 0.275);
    await send(other, 'second');
    await pass(group, 0.275);
    expect(seen.requests.map(({ id }) => id)).toEqual(['first', 'second']);
    expect(own.requests).toEqual([]);
    expect(
      other.rows.sent
        .filter(({ name }) => name.startsWith('request#'))
        .map(({ isAwaited }) => isAwaited),
    ).toEqual([true, false]);
    const reads = [one.rows.reads.length, other.rows.reads.length] as const;
    await pass(group, 0.275);
    expect(other.rows.reads.length - reads[1]).toBeGreaterThan(
      2 * (one.rows.reads.length - reads[0]),
    );
  });

  it('that are not repeated for T/2 are withdrawn by their sender, and after 2 T by others', async () => {
    const group = tableGroup();
    const [one, other] = [await group.join('one'), await group.join('other')];
    followMembers(other);
    await send(other, 'first');
    await pass(group, 0.8);
    expect(group.store.texts.has(requestRowName(0, other.incarnation))).toBe(false);
    followMembers(one);
    group.store.texts.set(
      requestRowName(0, 'gone'),
      JSON.stringify({ ...request(one, 'x'), incarnation: 'gone' }),
    );
    await pass(group, 1.8);
    expect(group.store.texts.has(requestRowName(0, 'gone'))).toBe(true);
    await pass(group, 0.6);
    expect(group.store.texts.has(requestRowName(0, 'gone'))).toBe(false);
  });

  it('that are sent again while they are withdrawn stay', async () => {
    const group = tableGroup();
    let isSlow = false;
    const late: (() => unknown)[] = [];
    const faults: RowsFaults = {
      replace(change, go) {
        if (!isSlow || change.text !== null) return go();
        return new Promise((resolve) => late.push(() => resolve(go())));
      },
    };
    const one = await group.join('one', {}, faults);
    followMembers(one);
    await send(one, 'first');
    isSlow = true;
    await pass(group, 0.6);
    expect(late).toHaveLength(1);
    await send(one, 'second');
    isSlow = false;
    for (const land of late) land();
    await pass(group, 0.1);
    expect(group.store.texts.get(requestRowName(0, one.incarnation))).toContain('second');
  });

  it('are removed when their sender closes', async () => {
    const group = tableGroup();
    const one = await group.join('one');
    await send(one, 'first');
    await one.ledger.close();
    expect(group.store.texts.has(requestRowName(0, one.incarnation))).toBe(false);
  });

  it('notify the others when the first one was written, and when one is sent again after it was withdrawn', async () => {
    const group = tableGroup();
    let isAway = true;
    const faults: RowsFaults = {
      replace(change, go) {
        if (isAway && change.name.startsWith('request#')) throw new Error('away');
        return go();
      },
    };
    const one = await group.join('one', {}, faults);
    followMembers(one);
    await expect(send(one, 'first')).rejects.toThrow('away');
    isAway = false;
    await send(one, 'second');
    await send(one, 'third');
    await pass(group, 0.8);
    await send(one, 'fourth');
    const requests = one.rows.sent.filter(({ text }) => text?.includes('"id":"'));
    expect(requests.map(({ isAwaited }) => isAwaited)).toEqual([true, true, false, true]);
  });

  it('make their sender read four times as often while the first write is pending', async () => {
    const group = tableGroup();
    const faults: RowsFaults = {
      replace: (change, go) =>
        change.name.startsWith('request#') ? new Promise(() => undefined) : go(),
    };
    const one = await group.join('one', { limitMs: 60_000 }, faults);
    await pass(group, 1);
    void send(one, 'first');
    await pass(group, 0.25);
    const reads = one.rows.reads.length;
    await pass(group, 0.275);
    expect(one.rows.reads.length - reads).toBeGreaterThanOrEqual(4);
  });

  it('are not removed by their sender while it repeats them', async () => {
    const group = tableGroup();
    const one = await group.join('one');
    followMembers(one);
    for (let round = 0; round < 10; round += 1) {
      await send(one, 'the same');
      await pass(group, 0.4);
    }
    expect(one.rows.sent.filter(({ text }) => text === null)).toEqual([]);
  });

  it('do not keep their sender from closing if they cannot be removed', async () => {
    const group = tableGroup();
    const faults: RowsFaults = {
      replace(change, go) {
        if (change.text === null) throw new Error('away');
        return go();
      },
    };
    const one = await group.join('one', {}, faults);
    await send(one, 'first');
    await expect(one.ledger.close()).resolves.toBeUndefined();
  });

  it('are received once per text with the time of the read, and again if they return', async () => {
    const group = tableGroup();
    const one = await group.join('one');
    const { requests } = followMembers(one);
    const name = requestRowName(0, 'b');
    const text = (id: string): string => JSON.stringify({ ...request(one, id), incarnation: 'b' });
    const change = async (to: string | undefined): Promise<void> => {
      if (to === undefined) group.store.texts.delete(name);
      else group.store.texts.set(name, to);
      one.rows.wake();
      await pass(group, 0.01);
    };
    const readAt = group.clock.now();
    for (const to of [text('1'), text('1'), text('2'), undefined, text('2')]) await change(to);
    expect(requests.map(({ id }) => id)).toEqual(['1', '2', '2']);
    expect(requests.map(({ receivedAt }) => receivedAt - readAt)).toEqual([0, 20, 40]);
  });

  it.each<[string, object | string]>([
    ['no id', { id: undefined }],
    ['a number as the member', { member: 7 }],
    ['a fraction of a partition', { partition: 0.5 }],
    ['no T', { thresholdMs: null }],
    ['no JSON', 'garbage'],
  ])('that hold garbage are ignored: %s', async (_what, garbage) => {
    const group = tableGroup();
    const one = await group.join('one');
    const { requests } = followMembers(one);
    const fields = { ...request(one, 'x'), incarnation: 'b' };
    const text = (more: object | string): string =>
      typeof more === 'string' ? more : JSON.stringify({ ...fields, ...more });
    group.store.texts.set(requestRowName(0, 'a'), text(garbage));
    group.store.texts.set(requestRowName(0, 'b'), text({}));
    group.store.texts.set(presenceRowName('b'), text({ id: 'not a request' }));
    await pass(group, 1);
    expect(requests.map(({ id }) => id)).toEqual(['x']);
  });
});
