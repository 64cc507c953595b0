// An example of testing code that leads: with fake timers and the memory backend, whose leader the
// test elects.
import { memoryGroup } from '@leadership/core/memory';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { cronJob } from '../src/cron-job.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function twoMembers() {
  const group = memoryGroup(crypto.randomUUID());
  const join = (member: string) => group.join({ member, partitions: 1, thresholdMs: 3000 });
  return { group, a: join('a'), b: join('b') };
}

it('runs the job only on the leader', async () => {
  const { group, a, b } = twoMembers();
  const ran: string[] = [];
  cronJob(a.role('report'), 1000, async () => void ran.push('a'));
  cronJob(b.role('report'), 1000, async () => void ran.push('b'));
  await group.elect('a', 0);
  await vi.advanceTimersByTimeAsync(2000);
  expect(ran).toEqual(['a', 'a']);
  await group.elect('b', 0);
  await vi.advanceTimersByTimeAsync(2000);
  expect(ran).toEqual(['a', 'a', 'b', 'b']);
  await Promise.all([a.close(), b.close()]);
});

it('finishes a running job before the next member leads', async () => {
  const { group, a, b } = twoMembers();
  await group.elect('a', 0);
  let finish = () => {};
  cronJob(a.role('report'), 1000, () => new Promise((resolve) => (finish = resolve)));
  await vi.advanceTimersByTimeAsync(1000);
  const elected = group.elect('b', 0);
  await vi.advanceTimersByTimeAsync(5000);
  expect(b.role('report').isLeading()).toBe(false);
  finish();
  await elected;
  expect(b.role('report').isLeading()).toBe(true);
  await Promise.all([a.close(), b.close()]);
});

it('detects an expired lease at the call, even after the event loop was blocked', async () => {
  const { group, a, b } = twoMembers();
  await group.elect('a', 0);
  expect(a.role('report').isLeading()).toBe(true);
  vi.setSystemTime(0); // the wall clock has no effect
  expect(a.role('report').isLeading()).toBe(true);
  vi.advanceTimersByTime(3001); // synchronous, so no renewal can complete meanwhile
  expect(a.role('report').isLeading()).toBe(false);
  await Promise.all([a.close(), b.close()]);
});
