import { expect, it } from 'vitest';
import { observedLeaseMs } from '../../src/internal/tools.ts';
import { memoryGroup } from '../../src/memory.ts';

const thresholdMs = 1000;

it('knows of the lease of another leader after which time it lapses, and nothing of its own', async () => {
  const group = memoryGroup('observed-lease');
  await using leader = group.join({ partitions: 1, thresholdMs, member: 'leader' });
  await using observer = group.join({ partitions: 1, thresholdMs, campaign: false });
  await expect.poll(() => leader.held().size).toBe(1);
  await expect.poll(() => observer.roster().size).toBe(1);
  // A notification shows the leader before the observer has read its lease.
  await expect.poll(() => observedLeaseMs(observer, 0)).toBeDefined();
  const observed = observedLeaseMs(observer, 0);
  expect(observed).toBeGreaterThan(0);
  expect(observed, 'T, and what the drift of clocks adds').toBeLessThanOrEqual(1.01 * thresholdMs);
  expect(observedLeaseMs(leader, 0)).toBeUndefined();
  await leader.close();
  await expect.poll(() => observedLeaseMs(observer, 0)).toBeUndefined();
});
