import { describe, expect, it, vi } from 'vitest';
import { memoryGroup } from '../../src/memory.ts';

/** A starved machine stands still for seconds: what is waited for takes milliseconds. */
const soon = { timeout: 20_000, interval: 5 };

describe('a source that is closed by who hears that it was fenced', () => {
  it('leaves no claim behind: the next member leads at once', async () => {
    const memory = memoryGroup('closed-when-fenced');
    const first = memory.join({ member: 'first', partitions: 1, thresholdMs: 60_000, thresholdMsMax: 60_000 });
    await vi.waitFor(() => expect(first.held().size).toBe(1), soon);
    let closed: Promise<void> | undefined;
    first.role(0).leadership$.subscribe(({ state }) => {
      if (state === 'fenced') closed = first.close();
    });
    memory.fence('first', 0);
    memory.free(0);
    await vi.waitFor(() => expect(closed).toBeDefined(), soon);
    await closed;
    const second = memory.join({ member: 'second', partitions: 1, thresholdMs: 60_000, thresholdMsMax: 60_000 });
    await vi.waitFor(() => expect(second.held().size).toBe(1), soon);
    await second.close();
  });
});
