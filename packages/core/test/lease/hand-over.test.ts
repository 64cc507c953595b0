// A partition that passes back and forth between two members, and what that costs.
import { expect, it } from 'vitest';
import { MemoryStore } from '../../src/memory/memory-rows.ts';
import { rowsMember, thresholdMs } from '../support/rows-member.ts';
import { Group } from './group.ts';

/** How long a hand-over takes, with some room. Milliseconds. */
const handOverMs = 60;

it('gets a partition back at once from a member that resigns, although it has just handed it over (M8)', () => {
  const group = new Group({ partitions: 2 });
  group.start('a');
  group.pass(1500);
  group.start('b');
  const led = (member: string): readonly number[] => [...group.state(member).led];
  while (led('b').length === 0) group.pass(1);
  const [partition = -1] = led('b');
  group.pass(200);
  group.feed('b', { kind: 'resign', partition, abstainMs: 0 });
  group.pass(handOverMs);
  expect(group.lines.join('\n')).toContain(`releases partition ${partition} to session a/1`);
  expect([[...led('a')].sort(), led('b')]).toEqual([[0, 1], []]);
});

it('hands over in two exchanges, and each member decides once for each thing that it learns', async () => {
  const store = new MemoryStore();
  const leader = rowsMember(store);
  const { clock } = leader;
  await clock.pass(thresholdMs);
  const heir = rowsMember(store, { member: 'b' }, undefined, clock);
  await clock.pass(thresholdMs);
  let turns = 0;
  const counted = (callback: () => void): void => {
    turns += 1;
    setImmediate(callback);
  };
  const before = [leader.sent.length, heir.sent.length];
  const led = new Promise<readonly number[]>((resolve) => {
    heir.source.role(0).leadership$.subscribe(({ state }) => {
      if (state === 'leading') resolve([turns, leader.sent.length, heir.sent.length]);
    });
  });
  Object.assign(clock, { turn: counted });
  const resigned = leader.source.role(0).resign();
  const [turnsTaken = 0, ...sent] = await led;
  expect(sent.map((count, index) => count - (before[index] ?? 0))).toEqual([1, 1]);
  // Of each decision one turn to wait for, and one to decide in. Beside those of the way from the release over the
  // claim to the term, the leader decides after its own answer, and after the claim.
  expect(turnsTaken).toBeLessThanOrEqual(10);
  await resigned;
  const closed = [leader.source.close(), heir.source.close()];
  await clock.pass(3 * thresholdMs);
  await Promise.all(closed);
});
