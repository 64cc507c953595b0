import { describe, expect, it } from 'vitest';
import { presenceRowName, requestRowName } from '../../../src/adapter/rows/names.ts';
import type { RowsFaults } from '../../support/memory-rows.ts';
import {
  followMembers,
  forever,
  pass,
  type TableMember,
  tableGroup,
} from '../../support/table-member.ts';

const beatIn = (text: string | undefined): number =>
  Number((JSON.parse(text ?? '{"beat":"0"}') as { beat: string }).beat);
const nameOf = ({ incarnation }: TableMember): string => presenceRowName(incarnation);
const requestsOf = ({ rows }: TableMember): readonly string[] =>
  rows.sent
    .filter(({ name }) => name.startsWith('member#'))
    .map(({ text }) => (text === null ? 'remove' : 'write'));

describe('the presence of members in rows', () => {
  it('is announced once the group was read, repeated every T, and withdrawn at the end', async () => {
    const group = tableGroup();
    const [one, other] = [await group.join('one'), await group.join('other')];
    const seen = followMembers(other);
    const stop = new AbortController();
    const announced = one.presence.announce(stop.signal);
    await pass(group, 1.3);
    expect(seen.present).toEqual([one.incarnation]);
    expect(beatIn(group.store.texts.get(presenceRowName(one.incarnation)))).toBe(2);
    expect(
      one.rows.sent
        .filter(({ name }) => name === presenceRowName(one.incarnation))
        .map(({ isAwaited }) => isAwaited),
    ).toEqual([true, false]);
    stop.abort();
    await announced;
    expect(group.store.texts.has(presenceRowName(one.incarnation))).toBe(false);
    await pass(group, 0.5);
    expect(seen.present).toEqual([]);
  });

  it('ends once the counter has not changed for 2.5 T, and the row is removed after 10 T', async () => {
    const group = tableGroup();
    const one = await group.join('one');
    const seen = followMembers(one);
    group.store.texts.set(
      presenceRowName('gone'),
      JSON.stringify({ incarnation: 'gone', member: 'gone', beat: 1 }),
    );
    await pass(group, 2);
    expect(seen.present).toEqual(['gone']);
    await pass(group, 1);
    expect(seen.present).toEqual([]);
    await pass(group, 6.5);
    expect(group.store.texts.has(presenceRowName('gone'))).toBe(true);
    await pass(group, 1);
    expect(group.store.texts.has(presenceRowName('gone'))).toBe(false);
  });

  it('is removed by no observer, nor is a request that its member left', async () => {
    const group = tableGroup();
    const observer = await group.join('observer', { campaign: false });
    followMembers(observer);
    const requests = observer.ledger.leaseRequests?.received(new AbortController().signal);
    void requests?.[Symbol.asyncIterator]().next();
    group.store.texts.set(presenceRowName('gone'), '{"beat":1}');
    group.store.texts.set(requestRowName(0, 'gone'), '{}');
    await pass(group, 20);
    expect(observer.rows.sent).toEqual([]);
  });

  it('is swept in bulk, without a MaxListenersExceededWarning', async () => {
    const warned: string[] = [];
    const listen = ({ name }: Error): void => void warned.push(name);
    process.on('warning', listen);
    const group = tableGroup();
    const one = await group.join('one');
    followMembers(one);
    for (let index = 0; index < 40; index += 1)
      group.store.texts.set(presenceRowName(`gone-${index}`), '{"beat":1}');
    await pass(group, 12);
    process.off('warning', listen);
    expect([...group.store.texts.keys()].filter((name) => name.startsWith('member#'))).toEqual([]);
    expect(warned).toEqual([]);
  });

  it('keeps changing while every second write fails or loses its reply, so that a throttled member does not look gone', async () => {
    const group = tableGroup();
    let writes = 0;
    const faults: RowsFaults = {
      replace(change, send) {
        if (!change.name.startsWith('member#')) return send();
        writes += 1;
        if (writes % 4 === 1) throw new Error('throttled');
        const outcome = send();
        if (writes % 4 === 3) throw new Error('the reply was lost');
        return outcome;
      },
    };
    const one = await group.join('one', {}, faults);
    one.placement.setCandidate(true);
    const beats = new Set<number>();
    for (let round = 0; round < 20; round += 1) {
      await pass(group, 1);
      beats.add(beatIn(group.store.texts.get(presenceRowName(one.incarnation))));
    }
    expect(beats.size).toBeGreaterThan(15);
  });

  it('is written again after another member has removed the row', async () => {
    const group = tableGroup();
    const one = await group.join('one');
    one.placement.setCandidate(true);
    await pass(group, 0.5);
    group.store.texts.delete(presenceRowName(one.incarnation));
    await pass(group, 1);
    expect(beatIn(group.store.texts.get(presenceRowName(one.incarnation)))).toBe(2);
  });

  it('is not withdrawn if it was never announced', async () => {
    const group = tableGroup();
    const one = await group.join('one', {}, { open: () => new Promise(() => undefined) });
    const stop = new AbortController();
    const announced = one.presence.announce(stop.signal);
    await pass(group, 1);
    stop.abort();
    await announced;
    expect(requestsOf(one)).toEqual([]);
  });

  it('is withdrawn also while the first write is pending, because the write may take effect', async () => {
    const group = tableGroup();
    const faults: RowsFaults = {
      replace(change, send) {
        const outcome = send();
        const isBeat = change.name.startsWith('member#') && change.text !== null;
        return isBeat ? new Promise(() => undefined) : outcome;
      },
    };
    const one = await group.join('one', {}, faults);
    const stop = new AbortController();
    const announced = one.presence.announce(stop.signal).catch(() => undefined);
    await pass(group, 0.1);
    expect(group.store.texts.has(nameOf(one))).toBe(true);
    stop.abort();
    await announced;
    expect(group.store.texts.has(nameOf(one))).toBe(false);
  });

  it('ends without an error if it cannot be withdrawn', async () => {
    const group = tableGroup();
    const faults: RowsFaults = {
      replace(change, send) {
        if (change.text === null) throw new Error('away');
        return send();
      },
    };
    const one = await group.join('one', {}, faults);
    const stop = new AbortController();
    const announced = one.presence.announce(stop.signal);
    await pass(group, 0.1);
    stop.abort();
    await expect(announced).resolves.toBeUndefined();
    expect(requestsOf(one)).toEqual(['write', 'remove']);
  });

  it('stays after a failed write, and continues with another number: a repeated one would look stale', async () => {
    const group = tableGroup();
    let isAway = false;
    const faults: RowsFaults = {
      replace(_change, send) {
        if (isAway) throw new Error('throttled');
        return send();
      },
    };
    const one = await group.join('one', {}, faults);
    const failed = expect(one.presence.announce(forever)).rejects.toThrow('throttled');
    await pass(group, 0.1);
    isAway = true;
    await pass(group, 1);
    await failed;
    expect(requestsOf(one)).toEqual(['write', 'write']);
    expect(beatIn(group.store.texts.get(nameOf(one)))).toBe(1);
    isAway = false;
    void one.presence.announce(forever);
    await pass(group, 0);
    expect(beatIn(group.store.texts.get(nameOf(one)))).toBe(3);
  });

  it('rejects if the store does not answer within T/3', async () => {
    const group = tableGroup();
    let hangs = false;
    const faults: RowsFaults = {
      replace: (_change, send) => (hangs ? new Promise(() => undefined) : send()),
    };
    const one = await group.join('one', {}, faults);
    hangs = true;
    const failed = expect(one.presence.announce(forever)).rejects.toMatchObject({
      code: 'unreachable',
      message: 'rows in memory: no answer within 333 ms',
    });
    await pass(group, 0.34);
    await failed;
  });

  it('names the row that it replaces, and rejects if another process keeps replacing that row', async () => {
    const group = tableGroup();
    let isOther = false;
    let others = 0;
    const faults: RowsFaults = {
      replace(change, send) {
        others += 1;
        if (isOther) group.store.texts.set(change.name, `by another ${others}`);
        return send();
      },
    };
    const one = await group.join('one', {}, faults);
    const failed = expect(one.presence.announce(forever)).rejects.toMatchObject({
      code: 'unreachable',
      message: `rows in memory: row "${nameOf(one)}" was changed by another writer`,
    });
    await pass(group, 0.1);
    isOther = true;
    await pass(group, 1);
    await failed;
    expect(group.store.texts.get(nameOf(one))).toContain('by another');
  });

  it('is read back if the store does not say which row a write lost to', async () => {
    const group = tableGroup();
    const silent: RowsFaults = { replace: (_change, send) => ({ isDone: send().isDone }) };
    const one = await group.join('one', {}, silent);
    const stop = new AbortController();
    const announced = one.presence.announce(stop.signal);
    await pass(group, 0.1);
    group.store.texts.delete(nameOf(one));
    const reads = one.rows.reads.length;
    // The next read of the registers comes later than the next beat.
    await pass(group, 0.95);
    expect(beatIn(group.store.texts.get(nameOf(one)))).toBe(2);
    expect(one.rows.reads.length - reads).toBe(1 + 4);
    stop.abort();
    await announced;
    expect(group.store.texts.has(nameOf(one))).toBe(false);
  });

  it('is reported in a fixed order, when it changes, and not for garbage', async () => {
    const group = tableGroup();
    const one = await group.join('one');
    const { all } = followMembers(one);
    const beat = (beats: Readonly<Record<string, number>>): void => {
      for (const [incarnation, count] of Object.entries(beats))
        group.store.texts.set(
          presenceRowName(incarnation),
          JSON.stringify({ incarnation, member: 'm', beat: count }),
        );
    };
    beat({ b: 1, a: 1 });
    group.store.texts.set(presenceRowName('x'), '{"incarnation":7}');
    group.store.texts.set(presenceRowName('y'), 'garbage');
    await group.read();
    beat({ a: 2, b: 2 });
    await group.read();
    beat({ c: 1, a: 3, b: 3 });
    await group.read();
    group.store.texts.delete(presenceRowName('c'));
    await group.read();
    expect(all).toEqual([[], ['a', 'b'], ['a', 'b', 'c'], ['a', 'b']]);
  });
});

describe('the removal of rows that crashed members left', () => {
  const leave = (texts: Map<string, string>, count: number): void => {
    for (let index = 0; index < count; index += 1)
      texts.set(presenceRowName(`gone-${index}`), '{"beat":1}');
  };
  const removals = (one: TableMember): number =>
    requestsOf(one).filter((kind) => kind === 'remove').length;

  it('is limited to 25 rows at a time, and continues once they are answered', async () => {
    const group = tableGroup();
    let land: (() => void)[] = [];
    const faults: RowsFaults = {
      replace: (change, send) =>
        change.text === null ? new Promise((resolve) => land.push(() => resolve(send()))) : send(),
    };
    const one = await group.join('one', { limitMs: 60_000 }, faults);
    followMembers(one);
    leave(group.store.texts, 40);
    await pass(group, 12);
    expect(removals(one)).toBe(25);
    for (const go of land) go();
    land = [];
    await pass(group, 1);
    expect(removals(one)).toBe(40);
  });

  it('continues after failures: one does not matter to the others', async () => {
    const group = tableGroup();
    let failures = 0;
    const faults: RowsFaults = {
      replace(change, send) {
        if (change.text !== null || failures === 2) return send();
        failures += 1;
        throw new Error('away');
      },
    };
    const one = await group.join('one', {}, faults);
    followMembers(one);
    leave(group.store.texts, 3);
    await pass(group, 12);
    expect(failures).toBe(2);
    expect([...group.store.texts.keys()].filter((name) => name.startsWith('member#'))).toEqual([]);
  });

  it('does not remove a row that its member has changed meanwhile', async () => {
    const group = tableGroup();
    const faults: RowsFaults = {
      replace(change, send) {
        if (change.text === null) group.store.texts.set(change.name, '{"beat":2}');
        return send();
      },
    };
    const one = await group.join('one', {}, faults);
    followMembers(one);
    leave(group.store.texts, 1);
    await pass(group, 11);
    expect(removals(one)).toBe(1);
    expect(group.store.texts.get(presenceRowName('gone-0'))).toBe('{"beat":2}');
  });
});

describe('a ledger over rows that is closed', () => {
  it('waits for the requests in flight, but no longer than T', async () => {
    const group = tableGroup();
    let answer = (): void => undefined;
    const faults: RowsFaults = {
      replace: (change, send) =>
        change.name.startsWith('member#')
          ? new Promise((resolve) => {
              answer = () => resolve(send());
            })
          : send(),
    };
    for (const isAnswered of [true, false]) {
      const one = await group.join(`one-${isAnswered}`, { limitMs: 60_000 }, faults);
      void one.presence.announce(forever).catch(() => undefined);
      await pass(group, 0.1);
      const closed = one.ledger.close();
      await pass(group, 0.9);
      expect(one.rows.isClosed).toBe(false);
      if (isAnswered) answer();
      await pass(group, isAnswered ? 0 : 0.2);
      await closed;
      expect(one.rows.isClosed).toBe(true);
    }
  });
});
