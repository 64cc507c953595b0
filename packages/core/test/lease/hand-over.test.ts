// A partition that passes back and forth between two members.
import { expect, it } from 'vitest';
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
