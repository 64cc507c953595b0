// A group whose pin is removed while a member asks for a partition.
import { expect, it } from 'vitest';
import { Group } from './group.ts';

it('a member opens no session while it reads no pin, though it asks for a partition (R3, M2)', () => {
  const group = new Group({ partitions: 2 });
  group.start('a');
  group.pass(1500);
  group.start('b');
  // It asks 2 T after it has read who owns the partitions, and is reading then.
  group.pass(2003);
  group.feed('b', { kind: 'notified' });
  group.change('is emptied', (store) => {
    for (const [name, expected] of [...store.rows]) store.change({ name, expected, text: null });
  });
  group.pass(2);
  const { wants, own, flight } = group.state('b');
  expect([wants.size, own, flight?.sentAt]).toEqual([1, undefined, 3503]);
  const before = group.lines.length;
  group.pass(10);
  const lines = group.lines.slice(before).join('\n');
  expect(lines).toContain('pins the group');
  expect(lines).not.toContain('opens session b');
});
