// Rows that somebody edits by hand, while the owner of a partition leads.
import { expect, it } from 'vitest';
import { partitionName, sessionName } from '../../src/lease/records.ts';
import { Group } from './group.ts';

const name = partitionName(0);

/** Returns a group in which member a leads and has just lost its way to the store, and b follows. */
function ledByA(): Group {
  const group = new Group();
  group.start('a');
  group.pass(1500);
  group.start('b');
  group.pass(1600);
  expect([...group.state('a').led]).toEqual([0]);
  group.cut('a', 10_000);
  return group;
}

/** Edits a row as somebody does who knows its fields, and lets both members run for `ms`. */
function edit(group: Group, row: string, fields: object, ms: number): readonly number[] {
  group.change('is edited by hand', (store) => {
    const record = JSON.parse(store.rows.get(row) ?? '{}');
    store.put(row, JSON.stringify({ ...record, version: record.version + 1, ...fields }));
  });
  group.pass(ms);
  return [...group.state('b').led];
}

const owners: readonly (readonly [string, object])[] = [
  ['another session of its process', { session: 'a/7' }],
  ['a session that b has not opened', { session: 'b/7' }],
  ['the session of b', { kind: 'release', session: 'b/1', seen: 2 ** 40 }],
  ['no session', { kind: 'release', session: undefined }],
  ['a session of nobody', { session: 'nobody/1' }],
];

it.each(owners)('gives a partition to %s only once its owner has stopped (M5)', (_, fields) => {
  const group = ledByA();
  expect(edit(group, name, fields, 900)).toEqual([]);
  group.pass(3000);
  expect([...group.state('a').led]).toEqual([]);
  expect([...group.state('b').led]).toEqual([0]);
});

it.each(['ended', 'deposed'])('says that a session has %s only once it has (M4)', (kind) => {
  const group = ledByA();
  expect(edit(group, sessionName('a/1'), { kind }, 900)).toEqual([]);
  group.pass(3000);
  expect([...group.state('a').led]).toEqual([]);
  expect([...group.state('b').led]).toEqual([0]);
});
