import { describe, expect, it } from 'vitest';
import { presenceRowName, requestRowName } from '../../../src/adapter/rows/names.ts';
import type { LeaseRequest } from '../../../src/ledger/ledger.ts';
import { manyListeners } from '../../../src/process/many-listeners.ts';
import type { RowsFaults } from '../../support/memory-rows.ts';
import {
  type TableGroup,
  type TableMember,
  tableGroup,
  thresholdMs,
} from '../../support/table-member.ts';

const forever = manyListeners(new AbortController().signal);
const pass = (group: TableGroup, thresholds: number): Promise<void> =>
  group.clock.pass(thresholds * thresholdMs);
const beatIn = (text: string | undefined): number =>
  Number((JSON.parse(text ?? '{"beat":"0"}') as { beat: string }).beat);

/** Follows the presence and the lease requests of a group as an engine does. */
function followed({ presence, ledger }: TableMember) {
  const state = { present: [] as readonly string[], requests: [] as LeaseRequest[] };
  const members = async (): Promise<void> => {
    for await (const now of presence.present(forever)) state.present = now;
  };
  const requests = async (): Promise<void> => {
    for await (const request of ledger.leaseRequests?.received(forever) ?? [])
      state.requests.push(request);
  };
  void Promise.all([members(), requests()]);
  return state;
}

const request = (member: TableMember, id: string): LeaseRequest => ({
  ...{ partition: 0, id, incarnation: member.incarnation, member: 'm', thresholdMs },
});

describe('the presence of members in rows', () => {
  it('is announced once the group was read, repeated every T, and withdrawn at the end', async () => {
    const group = tableGroup();
    const [one, other] = [await group.join('one'), await group.join('other')];
    const seen = followed(other);
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
    const seen = followed(one);
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

  it('is swept in bulk, without a MaxListenersExceededWarning', async () => {
    const warned: string[] = [];
    const listen = ({ name }: Error): void => void warned.push(name);
    process.on('warning', listen);
    const group = tableGroup();
    const one = await group.join('one');
    followed(one);
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
    one.placement.standing(true);
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
    one.placement.standing(true);
    await pass(group, 0.5);
    group.store.texts.delete(presenceRowName(one.incarnation));
    await pass(group, 1);
    expect(beatIn(group.store.texts.get(presenceRowName(one.incarnation)))).toBe(2);
  });
});

describe('lease requests in rows', () => {
  const send = (member: TableMember, id: string) =>
    member.ledger.leaseRequests?.send(request(member, id), forever);

  it('are received by the others with every new id, and make their sender read four times as often', async () => {
    const group = tableGroup();
    const [one, other] = [await group.join('one'), await group.join('other')];
    const seen = followed(one);
    const own = followed(other);
    await send(other, 'first');
    await pass(group, 0.25);
    await send(other, 'second');
    await pass(group, 0.25);
    expect(seen.requests.map(({ id }) => id)).toEqual(['first', 'second']);
    expect(own.requests).toEqual([]);
    expect(
      other.rows.sent
        .filter(({ name }) => name.startsWith('request#'))
        .map(({ isAwaited }) => isAwaited),
    ).toEqual([true, false]);
    const reads = [one.rows.reads.length, other.rows.reads.length] as const;
    await pass(group, 0.25);
    expect(other.rows.reads.length - reads[1]).toBeGreaterThan(
      2 * (one.rows.reads.length - reads[0]),
    );
  });

  it('that are not repeated for T/2 are withdrawn by their sender, and after 2 T by others', async () => {
    const group = tableGroup();
    const [one, other] = [await group.join('one'), await group.join('other')];
    followed(other);
    await send(other, 'first');
    await pass(group, 0.8);
    expect(group.store.texts.has(requestRowName(0, other.incarnation))).toBe(false);
    followed(one);
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
    followed(one);
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

  it('that hold garbage are ignored', async () => {
    const group = tableGroup();
    const one = await group.join('one');
    const seen = followed(one);
    group.store.texts.set(requestRowName(0, 'a'), 'garbage');
    group.store.texts.set(requestRowName(0, 'b'), '{"partition":0,"id":"x"}');
    await pass(group, 1);
    expect(seen.requests).toEqual([]);
  });
});
