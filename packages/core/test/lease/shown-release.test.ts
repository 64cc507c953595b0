// What a member does not claim by a release that a notification has shown.
import { describe, expect, it } from 'vitest';
import { partitionName } from '../../src/lease/records.ts';
import type { Partition } from '../../src/lease/state.ts';
import { withSum } from '../../src/lease/sum.ts';
import { after } from '../../src/time/instant.ts';
import { Group } from './group.ts';

const name = partitionName(0);
const greatest = 2n ** 63n - 1n;

function settled(...others: readonly string[]): Group {
  const group = new Group();
  for (const member of ['a', 'b', ...others]) group.start(member);
  group.pass(1500);
  return group;
}

function partitionOf(group: Group, member: string): Partition {
  const [partition] = group.state(member).partitions;
  if (partition === undefined) throw new Error('no partition');
  return partition;
}

/** Puts a release of another member into the store, and shows it to the members. */
function release(
  group: Group,
  members: readonly string[],
  fields: object = {},
  isByHand = false,
): void {
  const { life, version } = JSON.parse(group.store.rows.get(name) ?? '');
  const record = { kind: 'release', life, version: version + 1, token: '2000000', ...fields };
  const text = isByHand ? JSON.stringify(record) : withSum(JSON.stringify(record));
  group.change('is changed', (store) => {
    const change = { name, expected: store.rows.get(name) ?? null, text };
    store.exchange({ changes: [change], since: undefined });
  });
  for (const member of members) group.feed(member, { kind: 'notified', rows: [[name, text]] });
}

/** Returns who claims without a reading: the request takes 2 ms, and a reading before it 4. */
function claimants(
  group: Group,
  fields: object = {},
  members = ['b'],
  isByHand = false,
): readonly string[] {
  const before = group.lines.length;
  release(group, members, fields, isByHand);
  group.pass(3);
  return group.lines
    .slice(before)
    .flatMap((line) => /ms {2}(\w+) .*claims partition 0/.exec(line)?.[1] ?? []);
}

describe('a member that is shown a change of an owner', () => {
  it('claims over a release to no session only (M5)', () => {
    expect(claimants(settled())).toEqual(['b']);
    expect(claimants(settled(), { kind: 'hold', session: 'a/1' })).toEqual([]);
    expect(claimants(settled(), { session: 'a/1', seen: 1 })).toEqual([]);
  });

  it('claims over none that somebody has written by hand (M5)', () => {
    expect(claimants(settled(), {}, ['b'], true)).toEqual([]);
  });

  it('claims over none whose token leaves no room for its own (T1)', () => {
    expect(claimants(settled(), { token: String(greatest) })).toEqual([]);
  });

  it('claims nothing while it abstains, or while its own work that was given up may run (M5, H3)', () => {
    const resigned = settled();
    resigned.feed('b', { kind: 'resign', partition: 0, abstainMs: 0 });
    expect(claimants(resigned)).toEqual([]);
    const silent = settled();
    partitionOf(silent, 'b').silentUntil = after(silent.state('b').now, 500);
    expect(claimants(silent)).toEqual([]);
  });

  it('claims only if no other member does it first', () => {
    expect(claimants(settled('c'), {}, ['b', 'c'])).toHaveLength(1);
  });
});
