// Members that lead no more partitions at once than they say (M13).
import { describe, expect, it } from 'vitest';
import { sessionName } from '../../src/lease/records.ts';
import { Group } from './group.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

/** Starts these members, each with that limit, and lets them share the partitions. */
function started(partitions: number, limits: Readonly<Record<string, number | undefined>>): Group {
  const group = new Group({ partitions });
  for (const [name, partitionsMax] of Object.entries(limits))
    group.start(name, 1, partitionsMax === undefined ? {} : { partitionsMax });
  group.pass(4000);
  return group;
}

const sharesOf = (group: Group, members: readonly string[]): readonly number[] =>
  members.map((name) => group.state(name).led.size);

const ones = (members: readonly string[]) => Object.fromEntries(members.map((name) => [name, 1]));

/** Returns the claims so far, and how many of them were refused. */
const claimsIn = ({ lines }: Group): readonly string[] =>
  lines.filter((line) => line.includes('claims partition'));

describe('members with a limit', () => {
  it('share the partitions within their limits, and those without one share the rest (M13, L9)', () => {
    const group = started(9, { a: 1, b: undefined, c: 2, d: 1, e: undefined });
    const shares = sharesOf(group, ['a', 'b', 'c', 'd', 'e']);
    expect([shares[0], shares[2], shares[3]]).toEqual([1, 2, 1]);
    expect([shares[1], shares[4]].sort()).toEqual([2, 3]);
  });

  it('run as three of seven, and a standby takes the place of each that is killed (M13)', () => {
    const group = started(3, ones(names));
    const running = new Set(names);
    for (let faults = 0; faults < 4; faults += 1) {
      const leader = [...running].find((name) => group.state(name).led.size > 0) ?? '';
      running.delete(leader);
      group.kill(leader);
      group.pass(1500);
      const shares = sharesOf(group, [...running]);
      expect([Math.max(...shares), shares.reduce((sum, one) => sum + one)]).toEqual([1, 3]);
    }
  });

  it('leave partitions without leader if too few stand, claim none of them, and say so (M13)', () => {
    const group = started(5, ones(['a', 'b', 'c']));
    expect(sharesOf(group, ['a', 'b', 'c'])).toEqual([1, 1, 1]);
    expect(group.state('a').capacity).toBe('{"members":3,"partitions":3}');
    const claims = claimsIn(group).length;
    const { exchanges } = group.state('a');
    group.pass(20_000);
    expect(claimsIn(group)).toHaveLength(claims);
    // Three renewals in T, and nothing more.
    expect(group.state('a').exchanges - exchanges).toBeLessThanOrEqual(62);
    group.start('d', 1, { partitionsMax: 2 });
    group.pass(4000);
    expect(sharesOf(group, ['a', 'b', 'c', 'd'])).toEqual([1, 1, 1, 2]);
    for (const name of ['a', 'b', 'c', 'd']) expect(group.state(name).capacity).toBe('');
  });

  it('hand over to no session that has all that it may lead (M13)', () => {
    const group = started(3, ones(['a', 'b', 'c']));
    group.feed('a', { kind: 'close' });
    group.pass(500);
    expect(group.lines.filter((line) => /releases .* to session/.test(line))).toEqual([]);
    expect(sharesOf(group, ['b', 'c'])).toEqual([1, 1]);
    group.start('d', 1, { partitionsMax: 1 });
    group.pass(4000);
    group.start('e', 1, { partitionsMax: 1 });
    group.pass(2000);
    group.feed('d', { kind: 'close' });
    group.pass(500);
    expect(sharesOf(group, ['b', 'c', 'e'])).toEqual([1, 1, 1]);
  });

  it('begin nothing beyond their limit by a record that names them, and release it (M13)', () => {
    const group = started(2, { a: 1, b: undefined });
    const [mine = -1] = group.state('a').led;
    const other = 1 - mine;
    const { record } = group.state('b').partitions[other] ?? {};
    const session = group.state('a').own?.row.id;
    group.change('hands the other partition to a too', (store) =>
      store.put(
        `partition#${other}`,
        JSON.stringify({
          ...record,
          kind: 'release',
          version: (record?.version ?? 0) + 1,
          session,
          seen: 9999,
          token: '9999999999',
          partition: other,
        }),
      ),
    );
    group.pass(400);
    expect([...group.state('a').led]).toEqual([mine]);
    group.pass(3000);
    expect([...group.state('b').led]).toEqual([other]);
  });

  it('say it in their sessions and notes, and others say nothing', () => {
    const group = new Group({ partitions: 1 });
    group.start('a', 1, { partitionsMax: 1 });
    group.pass(1500);
    group.start('b', 1, { partitionsMax: 1 });
    group.start('c');
    group.pass(1500);
    const textOf = (name: string): string => group.store.rows.get(name) ?? '';
    expect(textOf(sessionName('a/1'))).toContain('"partitionsMax":1');
    expect(textOf('member#b')).toContain('"partitionsMax":1');
    expect(textOf('member#c')).not.toContain('partitionsMax');
    expect([...group.state('c').limits]).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
  });
});
