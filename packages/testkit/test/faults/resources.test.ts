import { createServer } from 'node:net';
import { expect, test, vi } from 'vitest';
import { blockLoop } from '../../src/faults/block-loop.ts';
import { resourcesLeft } from '../../src/faults/resources.ts';
import { expectNoResourcesLeft, resourcesInUse, watchRejections } from '../../src/faults.ts';

test('every resource that is left is named', async () => {
  const before = resourcesInUse();
  // Timers of the test runner may end and hide as many of ours. None ends before the first check,
  // because a server without a host listens at once. Before the second check, fewer than three end.
  const timers = [1, 2, 3].map(() => setTimeout(() => undefined, 60_000));
  const server = createServer().listen(0);
  expect(resourcesLeft(before)).toEqual(['TCPServerWrap', 'Timeout', 'Timeout', 'Timeout']);
  await expect(expectNoResourcesLeft(before, 10)).rejects.toThrow(
    /^still in use after 10 ms: .*TCPServerWrap, Timeout/,
  );
  timers.forEach(clearTimeout);
  server.close();
  await expectNoResourcesLeft(before);
});

test('each resource of one kind counts', () => {
  const before = resourcesInUse();
  const timers = [1, 2, 3].map(() => setTimeout(() => undefined, 60_000));
  expect(resourcesLeft(before)).toEqual(['Timeout', 'Timeout', 'Timeout']);
  timers.forEach(clearTimeout);
  expect(resourcesLeft(before)).toEqual([]);
});

test('the check waits for resources that are released in time', async () => {
  const before = resourcesInUse();
  setTimeout(() => undefined, 20);
  expect(resourcesLeft(before)).toEqual(['Timeout']);
  await expectNoResourcesLeft(before);
});

test('an unhandled rejection is recorded, and other listeners do not receive it', async () => {
  const others = process.rawListeners('unhandledRejection');
  using watch = watchRejections();
  void Promise.reject(new Error('nobody cares'));
  await vi.waitUntil(() => watch.reasons.length > 0, { timeout: 10_000, interval: 1 });
  expect(watch.reasons).toEqual([new Error('nobody cares')]);
  watch[Symbol.dispose]();
  expect(process.rawListeners('unhandledRejection')).toEqual(others);
});

test('a blocked loop runs no other code for the given time', () => {
  const ran: string[] = [];
  const timer = setTimeout(() => ran.push('timer'), 1);
  const beganNs = process.hrtime.bigint();
  const untilNs = blockLoop(20);
  expect(untilNs - beganNs).toBeGreaterThanOrEqual(20_000_000n);
  expect(process.hrtime.bigint()).toBeGreaterThanOrEqual(untilNs);
  expect(ran).toEqual([]);
  clearTimeout(timer);
});
