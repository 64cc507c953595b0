// The coordinator in the real node-cron, with a background task: node-cron runs it in a process.
import { fileURLToPath } from 'node:url';
import { memoryGroup } from '@leadership/core/memory';
import { nodeCronCoordinator } from '@leadership/scheduler';
import cron from 'node-cron';
import { expect, test, vi } from 'vitest';
import { memoryTicks } from './support/memory-ticks.ts';

const quiet = (): void => undefined;

test('does not wait for a run whose process has died, once its distributedLease is over', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(quiet);
  cron.setLogger({ info: quiet, warn: quiet, debug: quiet, error: quiet });
  const source = memoryGroup('g').join({ member: 'a', partitions: 1, log: false });
  const losses: unknown[] = [];
  source.events$.subscribe(({ kind, reason }) => kind === 'fenced' && losses.push(reason));
  const role = source.role(0);
  const program = fileURLToPath(new URL('./support/dying-task.mjs', import.meta.url));
  const task = cron.createTask('* * * * * *', program, {
    ...{ name: 'job', distributed: true, distributedLease: 50 },
    runCoordinator: nodeCronCoordinator(role, memoryTicks()),
  });
  try {
    await expect.poll(() => role.isLeading(), { timeout: 30_000 }).toBe(true);
    const died = new Promise((resolve) => task.once('task:failed', resolve));
    await task.start();
    await died;
  } finally {
    await source.close();
    await task.destroy();
    vi.restoreAllMocks();
  }
  expect(losses).toEqual([]);
  expect(warn).toHaveBeenCalledWith(
    expect.stringContaining('task "job" has not completed its run'),
    expect.objectContaining({ code: 'LEADERSHIP_JOB_ABANDONED' }),
  );
});
