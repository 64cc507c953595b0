import { anyOf, type LeadershipSource } from '@leadership/core';
import {
  type Exchange,
  type Exchanged,
  leaseBackend,
  openSource,
  resolveOptions,
} from '@leadership/core/adapter';
import { MemoryRows, MemoryStore } from '@leadership/core/internal/rows';
import { memoryGroup } from '@leadership/core/memory';
import { afterEach, describe, expect, test } from 'vitest';
import { nodeCronCoordinator } from '../src/node-cron-coordinator.ts';
import { oncePerTick } from '../src/once-per-tick.ts';
import { rowTicks } from '../src/row-ticks.ts';
import { schedule } from '../src/schedule.ts';

/** Rows whose answers can be lost, or delayed by a change of another member. */
class FaultyRows extends MemoryRows {
  losesAnswers = false;
  before: () => PromiseLike<unknown> = () => Promise.resolve();

  override async exchange(request: Exchange, signal: AbortSignal): Promise<Exchanged> {
    const changesTick = request.changes.some(({ name }) => name.startsWith('kept#'));
    if (changesTick) await this.before();
    const answer = await super.exchange(request, signal);
    if (changesTick && this.losesAnswers) throw new Error('the reply was lost');
    return answer;
  }
}

const sources: LeadershipSource[] = [];
afterEach(() => Promise.all(sources.splice(0).map((source) => source.close())));

/** Joins a member over a store. Its first rows are those of its leases, the second those of ticks. */
function join(store: MemoryStore, options: { readonly campaign?: boolean } = {}) {
  const opened: FaultyRows[] = [];
  const resolved = resolveOptions({ group: 'g', thresholdMs: 1000, log: false, ...options });
  const open = (): FaultyRows => {
    const rows = new FaultyRows(store);
    opened.push(rows);
    return rows;
  };
  const source = openSource(leaseBackend(resolved, open), resolved);
  sources.push(source);
  return { source, ticks: rowTicks(source), rows: () => opened[1] as FaultyRows, opened };
}

const textOf = (store: MemoryStore, name: string): unknown =>
  JSON.parse(store.rows.rows.get(`kept#tick/${name}`) ?? 'null');

describe('ticks in the store of the group', () => {
  test('each time is claimed once, and no earlier one after it', async () => {
    const store = new MemoryStore();
    const [one, other] = [join(store).ticks, join(store).ticks];
    expect(await one.latest('a')).toBeUndefined();
    expect(await one.token?.('a')).toBeUndefined();
    expect(await one.claim('a', 2000, 1n)).toBe(true);
    expect(await other.claim('a', 2000, 2n)).toBe(false);
    expect(await one.claim('a', 1000, 2n)).toBe(false);
    expect(await other.claim('a', 3000, 2n)).toBe(true);
    expect(await one.latest('a')).toBe(3000);
    expect(await one.token?.('a')).toBe(2n);
    expect(await one.latest('b')).toBeUndefined();
    expect(textOf(store, 'a')).toMatchObject({ at: 3000, token: '2' });
  });

  test('a leader whose token is lower than that of the latest claim claims nothing', async () => {
    const { ticks } = join(new MemoryStore());
    expect(await ticks.claim('a', 1000, 2n ** 60n)).toBe(true);
    expect(await ticks.claim('a', 2000, 2n ** 60n - 1n)).toBe(false);
    expect(await ticks.claim('a', 2000, 2n ** 60n)).toBe(true);
  });

  test('of many claims of one time at once, one succeeds', async () => {
    const store = new MemoryStore();
    const members = Array.from({ length: 8 }, () => join(store).ticks);
    const claims = [...members, ...members].map((ticks) => ticks.claim('a', 1000, 1n));
    expect((await Promise.all(claims)).filter(Boolean)).toEqual([true]);
  });

  test('a claim that another member forestalls is compared again', async () => {
    const store = new MemoryStore();
    const [slow, fast] = [join(store), join(store)];
    await slow.ticks.claim('a', 1000, 1n);
    slow.rows().before = () => fast.ticks.claim('a', 2000, 1n);
    expect(await slow.ticks.claim('a', 2000, 1n)).toBe(false);
    slow.rows().before = () => fast.ticks.claim('a', 3000, 2n);
    expect(await slow.ticks.claim('a', 4000, 1n)).toBe(false);
    expect(await slow.ticks.claim('a', 5000, 2n)).toBe(true);
  });

  test('a claim whose answer was lost is known when it is repeated, by one call only', async () => {
    const store = new MemoryStore();
    const { ticks, rows } = join(store);
    await ticks.claim('a', 1000, 1n);
    rows().losesAnswers = true;
    await expect(ticks.claim('a', 2000, 1n)).rejects.toThrow('the reply was lost');
    rows().losesAnswers = false;
    const repeated = await Promise.all([ticks.claim('a', 2000, 1n), ticks.claim('a', 2000, 1n)]);
    expect(repeated).toEqual([true, false]);
    rows().losesAnswers = true;
    await expect(ticks.claim('a', 3000, 1n)).rejects.toThrow('the reply was lost');
    rows().losesAnswers = false;
    // Another tick is not that one.
    expect(await ticks.claim('a', 2500, 1n)).toBe(false);
  });

  test('the rows of a tick are no foreign rows for the members, and an end closes them', async () => {
    const store = new MemoryStore();
    const { source, ticks, opened } = join(store);
    await source.ready();
    expect(opened.length).toBe(1);
    await ticks.claim('a', 1000, 1n);
    await expect.poll(() => source.held().size).toBe(1);
    expect(opened.length).toBe(2);
    expect(source.health().ignored).toEqual({});
    await source.close();
    await expect(ticks.claim('a', 2000, 1n)).rejects.toMatchObject({ code: 'closed' });
  });

  test('a name that is too long for a row is refused', async () => {
    const { ticks } = join(new MemoryStore());
    await expect(ticks.latest('n'.repeat(101))).rejects.toMatchObject({ code: 'invalid-options' });
  });

  test.each(['{', 'null', '{"at":null}', '{"at":1,"token":"x"}', ''])(
    'a row that somebody else has written is named with the remedy, which helps: %j',
    async (text) => {
      const store = new MemoryStore();
      const { ticks } = join(store);
      await ticks.claim('a', 1000, 1n);
      const before = store.rows.rows.get('kept#tick/a') ?? '';
      store.rows.change({ name: 'kept#tick/a', expected: before, text });
      for (const call of [ticks.latest('a'), ticks.claim('a', 2000, 1n)])
        await expect(call).rejects.toMatchObject({
          code: 'misconfigured-backend',
          message: expect.stringMatching(/^row "tick\/a" of the group .*delete the row/),
        });
      store.rows.change({ name: 'kept#tick/a', expected: text, text: null });
      expect(await ticks.claim('a', 2000, 1n)).toBe(true);
    },
  );

  test('a schedule without a store runs on them, in the group of its role', async () => {
    const group = memoryGroup(`ticks-${crypto.randomUUID()}`);
    const members = ['a', 'b'].map((member) =>
      group.join({ member, partitions: 1, thresholdMs: 600, log: false }),
    );
    sources.push(...members);
    const ran: number[] = [];
    const running = members.map((source) =>
      schedule(source.role(0), '* * * * * *', ({ at }) => void ran.push(at.getTime()), {
        name: 'x',
      }),
    );
    await expect.poll(() => ran.length, { timeout: 20_000 }).toBeGreaterThan(2);
    expect(new Set(ran).size).toBe(ran.length);
    await Promise.all(running.map((one) => one.close()));
    expect(await rowTicks(members[0] as LeadershipSource).latest('x')).toBe(ran.at(-1));
  });

  test('ticks of other schedulers without a store run on them too', async () => {
    const source = memoryGroup(`ticks-${crypto.randomUUID()}`).join({
      thresholdMs: 600,
      log: false,
    });
    sources.push(source);
    const role = source.role(0);
    const at = new Date('2026-01-01T00:00:00.000Z');
    expect(await oncePerTick(role, () => 'ran', { name: 'x', at })).toBe('ran');
    expect(await oncePerTick(role, () => 'ran', { name: 'x', at })).toBeUndefined();
    const coordinator = nodeCronCoordinator(role);
    expect(await coordinator.shouldRun('x:2026-01-01T00:00:00.000Z')).toBe(false);
    expect(await coordinator.shouldRun('x:2026-01-01T00:00:01.000Z')).toBe(true);
    coordinator.onComplete('x:2026-01-01T00:00:01.000Z');
  });

  test('a source without rows is refused', () => {
    const group = memoryGroup(`ticks-${crypto.randomUUID()}`);
    const combined = anyOf(
      group.join({ member: 'a' }),
      memoryGroup(`ticks-${crypto.randomUUID()}`).join({ member: 'a' }),
    );
    sources.push(combined);
    expect(() => rowTicks(combined)).toThrow(
      expect.objectContaining({
        code: 'invalid-options',
        message: expect.stringMatching(/^this source keeps no ticks/),
      }),
    );
  });
});
