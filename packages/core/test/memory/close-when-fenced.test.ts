import { describe, expect, it } from 'vitest';
import { memoryGroup } from '../../src/memory.ts';

describe('a source that a subscriber closes when it is fenced', () => {
  it('leaves no claim behind: the next member leads at once', async () => {
    const memory = memoryGroup('closed-when-fenced');
    const first = memory.join({
      member: 'first',
      partitions: 1,
      thresholdMs: 60_000,
      thresholdMsMax: 60_000,
    });
    await expect.poll(() => first.held().size).toBe(1);
    let closed: Promise<void> | undefined;
    first.role(0).leadership$.subscribe(({ state }) => {
      if (state === 'fenced') closed = first.close();
    });
    memory.fence('first', 0);
    memory.free(0);
    await expect.poll(() => closed !== undefined).toBe(true);
    await closed;
    const second = memory.join({
      member: 'second',
      partitions: 1,
      thresholdMs: 60_000,
      thresholdMsMax: 60_000,
    });
    await expect.poll(() => second.held().size).toBe(1);
    await second.close();
  });
});
