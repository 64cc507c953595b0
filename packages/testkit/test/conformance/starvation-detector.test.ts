import { memoryGroup } from '@leadership/core/memory';
import { describe, expect, test } from 'vitest';
import { pressureMeter } from '../../src/conformance/pressure.ts';
import { stallMeter } from '../../src/conformance/stall.ts';
import { starvationDetector } from '../../src/conformance/starvation-detector.ts';
import { overriding } from './overriding.ts';

const calm = { worstShare: 0, [Symbol.dispose]: () => undefined };
const still = (worstMs: number) => ({
  longestMs: worstMs,
  worstMs,
  take: () => 0,
  [Symbol.dispose]: () => undefined,
});

describe('the allowance of a check', () => {
  test('ignores the reports of a source: one that always reports `unreachable` gets none', async () => {
    await using source = memoryGroup(`excuses-${crypto.randomUUID()}`).join({
      member: 'a',
      partitions: 1,
      thresholdMs: 200,
    });
    const trouble = { code: 'unreachable', message: 'as always', since: new Date() } as never;
    const complaining = overriding(source, {
      health: () => ({ ...source.health(), ok: false, confirmedMsAgo: 1e9, troubles: [trouble] }),
    });
    using starvation = starvationDetector(200, still(0), calm);
    starvation.watch(complaining);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(starvation.isStarved).toBe(false);
  });

  test('follows from a loop that stalled for half a lease, or from processes that wait for a CPU', () => {
    expect(starvationDetector(200, still(101), calm).isStarved).toBe(true);
    expect(starvationDetector(200, still(99), calm).isStarved).toBe(false);
    expect(starvationDetector(200, still(0), { ...calm, worstShare: 0.9 }).isStarved).toBe(true);
  });

  test('follows from many short stalls that together take half of T', () => {
    using stall = stallMeter(200);
    for (let time = 0; time < 4; time += 1) {
      const until = performance.now() + 40;
      while (performance.now() < until);
      stall.take();
    }
    expect(stall.worstMs).toBeGreaterThan(100);
  });

  test('is measured period by period', async () => {
    const begunAt = performance.now();
    let waited = 0;
    using busy = pressureMeter(10, () => {
      waited += (performance.now() - begunAt) * 1000;
      return waited;
    });
    await expect.poll(() => busy.worstShare).toBeGreaterThan(0.8);
    using unknown = pressureMeter(10, () => undefined);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(unknown.worstShare).toBe(0);
  });
});
