// The members of a group as they read each other, for people.
import { describe, expect, it } from 'vitest';
import type { KnownMember } from '../../src/contract/backend.ts';
import { noteName, sessionName } from '../../src/lease/records.ts';
import { Group } from './group.ts';

/** Returns what a member has reported last, by incarnation. */
function listOf(
  group: Group,
  name: string,
): Readonly<Record<string, Omit<KnownMember, 'incarnation'>>> {
  const members: KnownMember[] = JSON.parse(group.state(name).listing.report);
  return Object.fromEntries(members.map(({ incarnation, ...member }) => [incarnation, member]));
}

describe('the members of a group', () => {
  it('are the same for all, an observer too, which is none of them: the leader by its session, the standby by its note', () => {
    const group = new Group();
    group.start('a', 1, { metadata: { at: 'one' } });
    group.pass(1500);
    group.start('b', 1, { metadata: { at: 'two' } });
    group.start('o', 1, { campaign: false });
    group.pass(1500);
    const a = { member: 'a', metadata: { at: 'one' }, since: 1000, isCandidate: true };
    const b = { member: 'b', metadata: { at: 'two' }, since: 2500, isCandidate: true };
    for (const name of ['a', 'b', 'o']) expect(listOf(group, name), name).toEqual({ a, b });
    expect(group.state('a').own?.isValid).toBe(true);
    expect(group.state('b').own).toBeUndefined();
    const names = [...group.store.rows.keys()].filter((row) => !row.startsWith('partition'));
    expect(names.sort()).toEqual(['member#b', 'pin', 'session#a/1']);
  });

  it('publish a trouble and roles with the renewals and notes that are written anyway', () => {
    const run = (publishes: boolean): Group => {
      const group = new Group();
      group.start('a');
      group.pass(1500);
      group.start('b');
      group.pass(1500);
      for (const name of publishes ? ['a', 'b'] : [])
        for (const trouble of ['unreachable', 'work-failed'])
          group.feed(name, { kind: 'publish', trouble, roles: [`r-${name}`] });
      group.pass(1500);
      return group;
    };
    const [silent, group] = [run(false), run(true)];
    for (const name of ['a', 'b']) {
      expect(listOf(group, name)).toMatchObject({
        a: { trouble: 'work-failed', roles: ['r-a'] },
        b: { trouble: 'work-failed', roles: ['r-b'] },
      });
      expect(group.state(name).exchanges, name).toBe(silent.state(name).exchanges);
    }
    group.feed('a', { kind: 'publish', roles: [] });
    group.pass(1000);
    expect(listOf(group, 'b')['a']).toEqual({
      member: 'a',
      metadata: {},
      since: 1000,
      isCandidate: true,
    });
  });

  it('go at once when they close, and after their T or two when they are killed', () => {
    const group = new Group();
    for (const name of ['a', 'b', 'c']) {
      group.start(name);
      group.pass(1500);
    }
    group.start('o', 1, { campaign: false });
    group.pass(1500);
    expect(Object.keys(listOf(group, 'o'))).toHaveLength(3);
    group.feed('b', { kind: 'close' });
    group.pass(600);
    expect(Object.keys(listOf(group, 'o')).sort()).toEqual(['a', 'c']);
    group.kill('a');
    group.kill('c');
    group.pass(2600);
    expect(listOf(group, 'o')).toEqual({});
  });

  it('are read from rows of strangers without harm', () => {
    const group = new Group();
    group.start('a');
    group.pass(1500);
    group.change('strangers', (store) => {
      store.put(noteName('x'), '{');
      store.put(noteName('y'), '{"member":{},"since":1e99,"trouble":"","roles":{"length":3}}');
      store.put(noteName('z'), JSON.stringify({ member: 'z', roles: ['__proto__'] }));
      store.put(sessionName('s/1'), '{"kind":"live","version":0,"thresholdMs":1000,"roles":7}');
    });
    group.pass(500);
    expect(listOf(group, 'a')).toEqual({
      a: { member: 'a', metadata: {}, since: 1000, isCandidate: true },
      s: { member: '?', metadata: {}, isCandidate: false },
      x: { member: '?', metadata: {}, isCandidate: true },
      y: { member: '?', metadata: {}, isCandidate: true },
      z: { member: 'z', metadata: {}, isCandidate: true, roles: ['__proto__'] },
    });
  });
});
