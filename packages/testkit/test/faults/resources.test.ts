import { createServer } from 'node:net';
import { expect, test, vi } from 'vitest';
import { blockLoop, expectNoResourcesLeft, resourcesInUse, resourcesLeft, watchRejections } from '../../src/faults.ts';

test('whatever is left over is named', async () => {
  const before = resourcesInUse();
  // Timers of the runner's may go, and make up for as many of ours. None goes before the first look, as without a host a server listens
  // at once; of what goes before the second, three of ours are to be more.
  const timers = [1, 2, 3].map(() => setTimeout(() => undefined, 60_000));
  const server = createServer().listen(0);
  expect(resourcesLeft(before)).toEqual(['TCPServerWrap', 'Timeout', 'Timeout', 'Timeout']);
  await expect(expectNoResourcesLeft(before, 10)).rejects.toThrow(/^still in use after 10 ms: .*TCPServerWrap, Timeout/);
  timers.forEach(clearTimeout);
  server.close();
  await expectNoResourcesLeft(before);
});

test('each of a kind counts', () => {
  const before = resourcesInUse();
  const timers = [1, 2, 3].map(() => setTimeout(() => undefined, 60_000));
  expect(resourcesLeft(before)).toEqual(['Timeout', 'Timeout', 'Timeout']);
  timers.forEach(clearTimeout);
  expect(resourcesLeft(before)).toEqual([]);
});

test('what is released meanwhile is waited for', async () => {
  const before = resourcesInUse();
  setTimeout(() => undefined, 20);
  expect(resourcesLeft(before)).toEqual(['Timeout']);
  await expectNoResourcesLeft(before);
});

test('an unhandled rejection is heard of, and nobody else is told', async () => {
  const others = process.rawListeners('unhandledRejection');
  using watch = watchRejections();
  void Promise.reject(new Error('nobody cares'));
  await vi.waitUntil(() => watch.reasons.length > 0, { timeout: 10_000, interval: 1 });
  expect(watch.reasons).toEqual([new Error('nobody cares')]);
  watch[Symbol.dispose]();
  expect(process.rawListeners('unhandledRejection')).toEqual(others);
});

test('a blocked loop runs nothing else, for as long as was said', () => {
  const ran: string[] = [];
  const timer = setTimeout(() => ran.push('timer'), 1);
  const beganNs = process.hrtime.bigint();
  const untilNs = blockLoop(20);
  expect(untilNs - beganNs).toBeGreaterThanOrEqual(20_000_000n);
  expect(process.hrtime.bigint()).toBeGreaterThanOrEqual(untilNs);
  expect(ran).toEqual([]);
  clearTimeout(timer);
});
