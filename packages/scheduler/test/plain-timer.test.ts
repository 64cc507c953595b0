// A timer that asks isLeading(), without a schedule, loses and repeats ticks.
import { memoryGroup } from '@leadership/core/memory';
import { describe, expect, test } from 'vitest';

describe('a timer that asks isLeading() at each tick', () => {
  test('runs no tick that is due while no member leads', async () => {
    const group = memoryGroup(`timer-${crypto.randomUUID()}`);
    await using one = group.join({ member: 'one', partitions: 1, thresholdMs: 1000 });
    await expect.poll(() => one.role(0).isLeading()).toBe(true);
    await using two = group.join({ member: 'two', partitions: 1, thresholdMs: 1000 });
    await two.ready();
    group.fence('one', 0);
    // The tick.
    expect([one, two].map((source) => source.role(0).isLeading())).toEqual([false, false]);
  });

  test('runs a tick twice if the leader hands over to a member whose clock is behind', async () => {
    const group = memoryGroup(`timer-${crypto.randomUUID()}`);
    await using one = group.join({ member: 'one', partitions: 1, thresholdMs: 1000 });
    await expect.poll(() => one.role(0).isLeading()).toBe(true);
    await using two = group.join({ member: 'two', partitions: 1, thresholdMs: 1000 });
    await two.ready();
    const ran: string[] = [];
    // The clock of two is behind: the tick comes there after the hand-over.
    for (const source of [one, two]) {
      if (source.role(0).isLeading()) ran.push(source.member);
      if (source === one) await one.role(0).resign();
      await expect.poll(() => source === two || two.role(0).isLeading()).toBe(true);
    }
    expect(ran).toEqual(['one', 'two']);
  });
});
