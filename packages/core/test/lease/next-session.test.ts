// The rows that a stranger has written under the name of a session that a process opens next.
import { expect, it } from 'vitest';
import { endText, liveText, sessionName } from '../../src/lease/records.ts';
import { Group } from './group.ts';

const living = liveText(
  {
    version: 7,
    thresholdMs: 1000,
    presence: { member: 'b', metadata: {} },
    isStanding: true,
    wants: [],
  },
  'of a stranger',
);

it.each([
  ['a living session', living],
  ['a session that has ended', endText('ended', 'a/1', 7)],
  ['a text that cannot be read', '{'],
])('opens no session over %s, but the next one (M2)', (_, text) => {
  const group = new Group();
  group.store.put(sessionName('a/1'), text);
  group.start('a');
  // The stranger's row lapses and is removed meanwhile, and the member goes on.
  group.pass(1500);
  expect(group.state('a').own?.row.id).toBe('a/2');
  expect(group.state('a').led.size).toBe(1);
  expect(group.store.rows.get(sessionName('a/1')) ?? '').not.toContain('"id":"a.');
});

it('passes over a session that only the row of a partition names (M2, M5)', () => {
  const group = new Group();
  const owned = { kind: 'hold', life: 'x', version: 1, session: 'a/1', seen: 0, token: '1' };
  group.store.put('partition#0', JSON.stringify(owned));
  group.start('a');
  group.pass(1500);
  expect(group.state('a').own?.row.id).toBe('a/2');
});

it('hands a partition to the session before, once the row of a stranger that hid it was removed (M8)', () => {
  const group = new Group();
  group.start('a', 1, { partitions: 2 });
  group.pass(1500);
  expect(group.state('a').led.size).toBe(2);
  group.store.put(sessionName('b/9'), living);
  group.pass(340);
  const asking = living.replace('"wants":[]', '"wants":[0,1]');
  group.store.put(sessionName('b/1'), asking);
  group.pass(340);
  expect(group.state('a').led.size).toBe(2);
  group.store.put(sessionName('b/9'), null);
  group.pass(340);
  expect(group.state('a').led.size).toBe(1);
});
