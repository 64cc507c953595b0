// A store that does not answer, as over a connection that was cut without notice.
import { memoryGroup } from '@leadership/core/memory';
import { oncePerTick, schedule, type TickStore } from '@leadership/scheduler';
import { afterEach, expect, test, vi } from 'vitest';
import { memoryTicks } from './support/memory-ticks.ts';

afterEach(() => void vi.useRealTimers());

const never = new Promise<never>(() => undefined);

/** A member that leads. The timers that are set from then on are the test's. */
async function leader() {
  const source = memoryGroup('g').join({ member: 'a', partitions: 1, log: false });
  await expect.poll(() => source.role(0).isLeading()).toBe(true);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  return source;
}

test.each<[string, Partial<TickStore>]>([
  ['latest', { latest: () => never }],
  ['claim', { claim: () => never }],
])('makes a schedule fail in health() instead of stopping it silently: %s', async (_call, hung) => {
  await using source = await leader();
  const store: TickStore = { ...memoryTicks(), ...hung };
  const running = schedule(source.role(0), '* * * * * *', () => undefined, { name: 'x', store });
  await vi.advanceTimersByTimeAsync(19_999);
  expect(source.health().troubles).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(source.health().troubles).toMatchObject([
    {
      code: 'work-failed',
      message: expect.stringContaining(
        'schedule "x": the store of its ticks has not answered for 20 s; check that the store is reachable',
      ),
    },
  ]);
  vi.useRealTimers();
  await running.close();
});

test('rejects the run of another scheduler, and lets a hand-over continue', async () => {
  await using source = await leader();
  const store: TickStore = { ...memoryTicks(), claim: () => never };
  const tick = { name: 'x', store, at: new Date(), graceMs: 0 };
  const ran = oncePerTick(source.role(0), () => undefined, tick);
  const failed = expect(ran).rejects.toMatchObject({ code: 'unreachable' });
  await vi.advanceTimersByTimeAsync(20_000);
  await failed;
  vi.useRealTimers();
});
