import { expect, it } from 'vitest';
import { sessionName } from '../../src/lease/records.ts';
import { Group } from './group.ts';

it('closes at once though a row that it would have removed has changed meanwhile', () => {
  const group = new Group();
  group.start('a');
  group.pass(1500);
  group.start('b');
  group.pass(500);
  group.feed('b', { kind: 'close' });
  group.pass(3);
  group
    .state('b')
    .chores.push({ name: sessionName('c/1'), expected: 'an earlier text', text: null });
  group.pass(20);
  expect(group.lines.at(-1)).toContain('b     is closed');
});
