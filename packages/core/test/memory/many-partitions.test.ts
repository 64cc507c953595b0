import { afterEach, describe, expect, it, vi } from 'vitest';
import { memoryGroup } from '../../src/memory.ts';

/** A starved machine stands still for seconds: what is waited for takes milliseconds. */
const soon = { timeout: 20_000, interval: 5 };

describe('many partitions', () => {
  afterEach(() => vi.restoreAllMocks());

  it('make Node warn of no leak: one listener per partition is none', async () => {
    const warned = vi.spyOn(process, 'emitWarning');
    const source = memoryGroup('many').join({ partitions: 40, thresholdMs: 500 });
    const each = source.leadEach((term) => new Promise<void>((done) => term.signal.addEventListener('abort', () => done())));
    await vi.waitFor(() => expect(source.held().size).toBe(40), soon);
    await source.close();
    await each;
    expect(warned).not.toHaveBeenCalled();
  });
});
