// A process whose sessions follow each other faster than the earlier one lapses for the others.
import { expect, it } from 'vitest';
import { endText, liveText, sessionName } from '../../src/lease/records.ts';
import { Group } from './group.ts';

const live = {
  version: 0,
  thresholdMs: 1000,
  presence: { member: 'b', metadata: {} },
  isStanding: true,
} as const;

it('releases nothing to an earlier session once a later one of its process was seen (M2, M8)', () => {
  const group = new Group({ partitions: 2 });
  group.start('a');
  group.pass(1500);
  expect(group.state('a').led.size).toBe(2);
  const write = (session: string, text: string): void => {
    group.change(`shows ${session}`, (store) => store.put(sessionName(session), text));
    group.feed('a', { kind: 'notified' });
    group.pass(20);
  };
  write('b/2', liveText({ ...live, wants: [] }, 'one'));
  write('b/1', liveText({ ...live, wants: [0, 1] }, 'two'));
  write('b/2', endText('ended', 'b/2', 1));
  for (const partition of [0, 1]) group.feed('a', { kind: 'prefer', partition, who: 'placement' });
  group.pass(20);
  expect(group.lines.filter((line) => line.includes('ends the work'))).toEqual([]);
  expect(group.state('a').led.size).toBe(2);
});
