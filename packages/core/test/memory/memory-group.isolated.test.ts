import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SourceOptions } from '../../src/contract/options.ts';
import type { LeadershipSource } from '../../src/contract/source.ts';
import { memoryGroup } from '../../src/memory/groups.ts';
import { Group, type MemoryGroup } from '../../src/memory/memory-group.ts';
import { MemoryRows, MemoryStore } from '../../src/memory/memory-rows.ts';
import { openLeadership } from '../../src/source/open-leadership.ts';
import { collectGarbage } from '../support/collect-garbage.ts';
import { pass, passUntil } from '../support/fake-time.ts';

const thresholdMs = 1000;
const opened: LeadershipSource[] = [];

function join(
  group: MemoryGroup,
  member: string,
  options: Omit<SourceOptions, 'group' | 'load'> = {},
): LeadershipSource {
  const source = group.join({ member, thresholdMs, partitions: 2, ...options });
  opened.push(source);
  return source;
}

/** Opens two members, each leading one of two partitions. */
async function pair(): Promise<{ group: MemoryGroup; a: LeadershipSource; b: LeadershipSource }> {
  const group = new Group('g');
  const [a, b] = [join(group, 'a'), join(group, 'b')];
  await pass(5 * thresholdMs);
  return { group, a, b };
}

const led = (source: LeadershipSource): number[] => [...source.held().keys()].sort();

describe('a memory group', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(async () => {
    await passUntil(Promise.all(opened.splice(0).map((source) => source.close())));
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  it('spreads partitions evenly over its members, and moves as few as possible when one joins (L9)', async () => {
    const group = new Group('g');
    const a = join(group, 'a', { partitions: 4 });
    // An empty group's first member claims them one after the other.
    await pass(30);
    expect(led(a)).toEqual([0, 1, 2, 3]);
    const kept = [...a.held().values()].map(({ token }) => token);
    const b = join(group, 'b', { partitions: 4 });
    await pass(5 * thresholdMs);
    expect([led(a).length, led(b).length]).toEqual([2, 2]);
    for (const { token } of a.held().values()) expect(kept).toContain(token);
  });

  it('hands over in order: the successor leads only after the work has drained (H2)', async () => {
    const { group, a, b } = await pair();
    const mine = led(a)[0] ?? 0;
    let finish = (): void => undefined;
    void a.role(mine).ifLeading(() => new Promise<void>((resolve) => (finish = resolve)));
    const elected = group.elect('b', mine);
    await pass(5 * thresholdMs);
    expect([led(a).includes(mine), led(b).includes(mine)]).toEqual([true, false]);
    finish();
    await passUntil(elected);
    expect([led(a).includes(mine), led(b).includes(mine)]).toEqual([false, true]);
  });

  it('delegates when a partition moves to its preferred member: no member waits, and all receive its metadata', async () => {
    const group = new Group('g');
    const a = join(group, 'a', { partitions: 2 });
    await pass(10);
    let gapMs = 0;
    const b = join(group, 'b', { partitions: 2, metadata: { url: 'http://b' } });
    for (let ms = 0; ms < 5 * thresholdMs; ms += 5) {
      await pass(5);
      if (a.held().size + b.held().size < 2) gapMs += 5;
    }
    expect([led(a).length, led(b).length]).toEqual([1, 1]);
    expect(gapMs).toBeLessThanOrEqual(5);
    expect(a.role(led(b)[0] ?? 0).leader()).toMatchObject({
      member: 'b',
      self: false,
      metadata: { url: 'http://b' },
    });
  });

  it('elects the given member, and keeps it until the partition is freed', async () => {
    const { group, a, b } = await pair();
    await passUntil(Promise.all([group.elect('a', 0), group.elect('a', 1)]));
    await pass(10 * thresholdMs);
    expect([led(a), led(b)]).toEqual([[0, 1], []]);
    group.free(0);
    group.free(1);
    await pass(10 * thresholdMs);
    expect([led(a).length, led(b).length]).toEqual([1, 1]);
  });

  it('revokes in order, and fences at once; then no member leads until the next command', async () => {
    const { group, a, b } = await pair();
    const [mine = 0, its = 1] = [led(a)[0], led(b)[0]];
    const states: string[] = [];
    a.role(mine).leadership$.subscribe(({ state }) => states.push(state));
    await passUntil(group.revoke('a', mine));
    expect(states).toEqual(['leading', 'revoking', 'waiting']);
    const reasons: string[] = [];
    b.role(its).leadership$.subscribe(
      (leadership) => 'reason' in leadership && reasons.push(leadership.reason),
    );
    group.fence('b', its);
    expect(reasons).toEqual(['superseded']);
    await pass(20 * thresholdMs);
    expect([led(a), led(b)]).toEqual([[], []]);
    await passUntil(group.elect('b', mine));
    expect(led(b)).toEqual([mine]);
  });

  it('ignores fencing of a member that does not lead', async () => {
    const { group, b } = await pair();
    group.fence('a', led(b)[0] ?? 0);
    await pass(10);
    expect(led(b).length).toBe(1);
  });

  it('elects an observer too, if another member founded the group', async () => {
    const { group } = await pair();
    const c = join(group, 'c', { campaign: false });
    await pass(10);
    expect(c.roster().size).toBe(2);
    await pass(10 * thresholdMs);
    expect(led(c)).toEqual([]);
    await passUntil(group.elect('c', 0));
    expect(led(c)).toEqual([0]);
  });

  it('rejects for unknown members and partitions, and when the elected member closes', async () => {
    const { group, a } = await pair();
    await expect(group.elect('nobody', 0)).rejects.toMatchObject({
      code: 'invalid-options',
      message: 'group "g" has no member "nobody"',
    });
    await expect(group.elect('a', 2)).rejects.toMatchObject({
      code: 'invalid-options',
      message: 'group "g" has no partition 2',
    });
    expect(() => group.fence('a', 1.5)).toThrow('group "g" has no partition 1.5');
    const its = led(a)[0] === 0 ? 1 : 0;
    group.cut('a');
    const election = group.elect('a', its);
    const closed = passUntil(a.close());
    await expect(passUntil(election)).rejects.toMatchObject({ code: 'closed' });
    await closed;
  });

  it('refuses a member that is configured with other partitions (R3)', async () => {
    const { group } = await pair();
    const c = join(group, 'c', { partitions: 3 });
    await expect(passUntil(c.ready())).rejects.toMatchObject({ code: 'partitions-differ' });
    await pass(10 * thresholdMs);
    expect(led(c)).toEqual([]);
  });

  it('is the same for one name, also by URL, and another for another name', async () => {
    const group = memoryGroup('memory-group.test');
    expect(memoryGroup('memory-group.test')).toBe(group);
    const a = await openLeadership('memory:memory-group.test?partitions=1&member=a');
    const b = await openLeadership('memory:another.test?partitions=1&member=b');
    opened.push(a, b);
    await pass(10);
    await passUntil(group.revoke('a', 0));
    expect([led(a), led(b)]).toEqual([[], [0]]);
  });
});

describe('the memory that a closed source retains', () => {
  const heldBytes = async (): Promise<number> => {
    await collectGarbage();
    return process.memoryUsage().heapUsed;
  };

  it('does not include its group, which is collected with its last member', async () => {
    const name = 'collected.test';
    const first = new WeakRef(memoryGroup(name));
    const live = async (): Promise<void> => {
      await using _source = memoryGroup(name).join({ partitions: 1 });
      await collectGarbage();
      expect(first.deref() === memoryGroup(name)).toBe(true);
    };
    await live();
    await collectGarbage();
    expect(first.deref() === undefined).toBe(true);
  });

  it('is less than a kilobyte per source, including its group', async () => {
    const group = new Group('kept');
    const live = async (times: number): Promise<void> => {
      for (let round = 0; round < times; round += 1) {
        const source = group.join({ partitions: 1 });
        void source.role(0).lead(() => undefined);
        await source.ready();
        await source.close();
      }
    };
    await live(200);
    const before = await heldBytes();
    await live(600);
    expect(((await heldBytes()) - before) / 600).toBeLessThan(1024);
  });

  it('does not include a listener at the store', async () => {
    const store = new MemoryStore();
    const rows = new MemoryRows(store);
    const stop = new AbortController();
    let woken = 0;
    await rows.listen(() => {
      woken += 1;
    }, stop.signal);
    store.notify();
    expect(woken).toBe(1);
    stop.abort();
    store.notify();
    expect(woken).toBe(1);
  });
});
