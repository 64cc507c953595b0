import { afterEach, describe, expect, it, vi } from 'vitest';
import { resolveOptions } from '../../src/adapter/resolve-options.ts';
import type { LeadershipSource } from '../../src/contract/source.ts';
import { Group } from '../../src/memory/memory-group.ts';
import { memoryGroup } from '../../src/memory.ts';
import { pass, passUntil } from '../support/fake-time.ts';

const opened: LeadershipSource[] = [];

afterEach(async () => {
  const closed = Promise.all(opened.splice(0).map((source) => source.close()));
  await (vi.isFakeTimers() ? passUntil(closed) : closed);
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('many partitions', () => {
  it('cause no leak warning of Node, despite one listener per partition', async () => {
    const warned = vi.spyOn(process, 'emitWarning');
    const source = memoryGroup('many').join({ partitions: 40, thresholdMs: 500 });
    const each = source.leadEach(
      (term) => new Promise<void>((done) => term.signal.addEventListener('abort', () => done())),
    );
    await expect.poll(() => source.held().size).toBe(40);
    await source.close();
    await each;
    expect(warned).not.toHaveBeenCalled();
  });

  it.each([8, 64])(
    '%i of them are shared without a hand-over by members that join in different turns of the event loop (L9)',
    async (partitions) => {
      vi.useFakeTimers();
      const thresholdMs = 3000;
      const group = new Group(`turns-${partitions}`);
      let terms = 0;
      for (const member of ['a', 'b', 'c']) {
        const source = group.join({ member, partitions, thresholdMs });
        source.events$.subscribe(({ kind }) => {
          if (kind === 'acquired') terms += 1;
        });
        opened.push(source);
        await pass(20);
      }
      await pass(4 * thresholdMs);
      expect(opened.map((source) => source.held().size).sort((a, b) => a - b)).toEqual(
        partitions === 8 ? [2, 3, 3] : [21, 21, 22],
      );
      expect(terms).toBe(partitions);
    },
  );

  it('are all led by a member that is alone within a tenth of T, and the first of them at once', async () => {
    vi.useFakeTimers();
    const source = new Group('alone').join({ partitions: 256, thresholdMs: 3000 });
    opened.push(source);
    await pass(1);
    expect(source.role(0).isLeading()).toBe(true);
    await pass(300);
    expect(source.held().size).toBe(256);
  });

  it('leave the event loop its turns: no more than 256 terms begin in one callback of a timer', async () => {
    vi.useFakeTimers();
    const source = new Group('turns').join({ partitions: 300, thresholdMs: 1000 });
    opened.push(source);
    let [inTurn, most] = [0, 0];
    source.events$.subscribe(({ kind }) => {
      if (kind === 'acquired') inTurn += 1;
      most = Math.max(most, inTurn);
    });
    while (source.held().size < 300) {
      inTurn = 0;
      await vi.advanceTimersToNextTimerAsync();
    }
    expect(most).toBeLessThanOrEqual(256);
  });

  it('settle among three members in memory without a superfluous term', async () => {
    const group = memoryGroup('settle');
    const sources = ['a', 'b', 'c'].map((member) =>
      group.join({ member, partitions: 256, thresholdMs: 20_000 }),
    );
    const terms = sources.map((source) => {
      const acquired: number[] = [];
      source.events$.subscribe(
        ({ kind, partition }) =>
          kind === 'acquired' && partition !== undefined && acquired.push(partition),
      );
      return acquired;
    });
    await expect
      .poll(() => sources.map((source) => source.held().size).sort((x, y) => x - y), {
        timeout: 60_000,
      })
      .toEqual([85, 85, 86]);
    expect(terms.flat()).toHaveLength(256);
    await Promise.all(sources.map((source) => source.close()));
  }, 90_000);
});

it('elects while the timers of a test are fake', async () => {
  vi.useFakeTimers();
  try {
    const group = memoryGroup(crypto.randomUUID());
    const member = group.join({ member: 'a', partitions: 40, thresholdMs: 3000 });
    for (const partition of [0, 20, 39]) await group.elect('a', partition);
    expect([...member.held().keys()]).toEqual(expect.arrayContaining([0, 20, 39]));
    await member.close();
  } finally {
    vi.useRealTimers();
  }
});

describe('a limit of partitions', () => {
  it('is declared by the memory backend, which refuses more', () => {
    expect(() => memoryGroup('limit').join({ partitions: 10_001 })).toThrow(
      /partitions 10001 is more than the 10000 that the memory backend/,
    );
  });

  it('is checked together with the other options if a backend declares one', () => {
    const limits = { partitions: { max: 10, backend: 'toy' } };
    expect(resolveOptions({ group: 'g', partitions: 10 }, limits).partitions).toBe(10);
    expect(() => resolveOptions({ group: 'g', partitions: 11 }, limits)).toThrow(
      /map several roles onto one partition/,
    );
  });
});
