import { setTimeout as passed } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { memoryGroup } from '../../src/memory.ts';

const thresholdMs = 50;
/**
 * More consecutive terms than can begin before a timer fires in an event loop that is not starved.
 */
const termsMax = 30;

describe('work that blocks the event loop for longer than T, in every term', () => {
  it('starves no timers', async () => {
    const source = memoryGroup('blocking').join({
      member: 'm',
      partitions: 1,
      thresholdMs,
      thresholdMsMax: thresholdMs,
    });
    let terms = 0;
    let isOver = false;
    void source.role('job').lead(() => {
      terms += 1;
      const until = performance.now() + 1.5 * thresholdMs;
      while (!isOver && terms < termsMax && performance.now() < until);
    });
    await passed(2 * thresholdMs);
    // If the machine was suspended meanwhile, the partition may not have a leader yet.
    await vi.waitFor(() => expect(terms).toBeGreaterThan(0), { timeout: 20_000, interval: 5 });
    isOver = true;
    expect(terms).toBeLessThan(termsMax);
    await source.close();
  });
});
