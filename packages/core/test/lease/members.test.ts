// The members of a group as they read each other, for people.
import { describe, expect, it } from 'vitest';
import type { KnownMember } from '../../src/contract/backend.ts';
import { isUnsure } from '../../src/lease/members.ts';
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
    // T, and one reading of an observer.
    group.pass(1000 + 375 + 10);
    expect(listOf(group, 'o')).toEqual({});
  });

  it('are listed as long as they run, though an observer reads their notes late', () => {
    const group = new Group();
    group.start('a');
    group.pass(1500);
    group.start('b');
    group.start('o', 1, { campaign: false, jitter: 0.99 });
    group.pass(600);
    for (let at = 0; at < 30_000; at += 10) {
      group.pass(10);
      expect(Object.keys(listOf(group, 'o')), `after ${at} ms`).toHaveLength(2);
    }
  });

  it('lose the note of a killed one by the leader after T and one reading, or by another one after 2 T (M11)', () => {
    const group = new Group();
    for (const name of ['a', 'b', 'c']) {
      group.start(name);
      group.pass(1500);
    }
    const isLeft = (): boolean => group.store.rows.has(noteName('c'));
    expect(isLeft()).toBe(true);
    group.kill('c');
    group.pass(1000 + 333 + 10);
    expect(isLeft()).toBe(false);
    const leaderless = new Group();
    leaderless.start('b');
    leaderless.change('is left by a process that is gone', (store) => {
      store.put(noteName('c'), '{"member":"c","thresholdMs":400}');
    });
    leaderless.pass(2 * 400 - 20);
    expect(leaderless.store.rows.has(noteName('c'))).toBe(true);
    leaderless.pass(300);
    expect(leaderless.store.rows.has(noteName('c')), 'its own T counts').toBe(false);
  });

  it.each([
    ['one that has just been renewed', 100, false],
    ['one that is old', 5000, true],
    ['one that was renewed in time', 700, false],
    // By a clock that is ahead by 250 ms, this one is older than T.
    ['one that may be older than T', 760, true],
    ['one whose clock is a little ahead', -240, false],
    ['one whose clock is ahead', -260, true],
    ['one whose clock is far ahead', -5000, true],
  ])('are known at once by %s, or after T: the first reading shows %i ms', (_, ageMs, unsure) => {
    const group = new Group();
    group.start('a');
    group.pass(1500);
    group.kill('a');
    for (const [name, text] of group.store.rows) {
      if (!name.startsWith('session#')) continue;
      // The clock of the group shows 1000 ms at its start.
      const at = 2500 - ageMs;
      group.change('has another time', (store) => {
        store.put(name, JSON.stringify({ ...JSON.parse(text), at }));
      });
    }
    group.start('o', 1, { campaign: false });
    group.pass(20);
    const isUnsureNow = (): boolean => isUnsure(group.state('o'), group.state('o').now);
    expect(isUnsureNow()).toBe(unsure);
    expect(Object.keys(listOf(group, 'o'))).toEqual(['a']);
    group.pass(1010);
    expect(isUnsureNow()).toBe(false);
    expect(listOf(group, 'o')).toEqual({});
  });

  it('are known as soon as one is renewed whose clock is wrong', () => {
    const group = new Group();
    group.start('a');
    group.pass(1500);
    group.start('b');
    group.pass(1500);
    group.start('o', 1, { campaign: false }, 60_000);
    group.pass(20);
    expect(isUnsure(group.state('o'), group.state('o').now)).toBe(true);
    group.pass(900);
    expect(isUnsure(group.state('o'), group.state('o').now)).toBe(false);
    expect(Object.keys(listOf(group, 'o')).sort()).toEqual(['a', 'b']);
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
