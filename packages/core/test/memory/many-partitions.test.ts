import { afterEach, describe, expect, it, vi } from 'vitest';
import { memoryGroup } from '../../src/memory.ts';

describe('many partitions', () => {
  afterEach(() => vi.restoreAllMocks());

  it('cause no leak warning of Node, despite one listener per partition', async () => {
    const warned = vi.spyOn(process, 'emitWarning');
    const source = memoryGroup('many').join({ partitions: 40, thresholdMs: 500 });
    const each = source.leadEach((term) => new Promise<void>((done) => term.signal.addEventListener('abort', () => done())));
    await expect.poll(() => source.held().size).toBe(40);
    await source.close();
    await each;
    expect(warned).not.toHaveBeenCalled();
  });
});
