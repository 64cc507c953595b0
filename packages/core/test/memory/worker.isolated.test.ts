import { expect, it, vi } from 'vitest';
import { memoryGroup } from '../../src/memory.ts';

vi.mock('node:worker_threads', async (original) => ({
  ...(await original<typeof import('node:worker_threads')>()),
  isMainThread: false,
}));

it('a member in a worker thread warns that the group is visible in this thread only', async () => {
  await using source = memoryGroup('in a worker').join({ partitions: 1 });
  await source.ready();
  expect(source.health()).toMatchObject({
    ok: true,
    warnings: [{ code: 'misconfigured-backend' }],
  });
  expect(source.health().warnings[0]?.message).toContain(
    'group "in a worker" is visible in this worker thread only',
  );
});
