// When members read that nothing notifies: a little after renewals, and never more often than otherwise.
import { describe, expect, it } from 'vitest';
import { Group } from './group.ts';

const thresholdMs = 1000;

/** Returns a group with one leader and two members that stand by, after some time. */
function standing(isSilent: boolean, commitMs = 0, aheadMs = 0.3 * thresholdMs): Group {
  const group = new Group({ isSilent }, commitMs);
  for (const name of ['a', 'b', 'c']) {
    group.start(name, 1, { jitter: 0 }, name === 'b' ? aheadMs : 0);
    group.pass(73);
  }
  group.pass(20 * thresholdMs);
  return group;
}

function leaderOf(group: Group): string {
  const leader = ['a', 'b', 'c'].find((name) => group.state(name).led.size > 0);
  if (leader === undefined) throw new Error('nobody leads');
  return leader;
}

/** How late a member that stands by reads the renewals of the next 5 T. */
function readingsOf(
  group: Group,
  name: string,
): { readonly lateMs: readonly number[]; readonly polls: number } {
  const [session] = [...group.state(leaderOf(group)).sessions.values()].filter(
    ({ owns }) => owns.size > 0,
  );
  if (session === undefined) throw new Error('no session');
  const lateMs: number[] = [];
  const known = () => group.state(name).sessions.get(session.id);
  const before = group.state(name).exchanges;
  let last = known()?.version;
  for (let ms = 0; ms < 5 * thresholdMs; ms += 1) {
    group.pass(1);
    const { version, readAt, writtenAt = 0 } = known() ?? { version: -1, readAt: 0 };
    if (version === last) continue;
    last = version;
    // The wall clock of the group begins at one second.
    lateMs.push(readAt - (writtenAt - 1000));
  }
  return { lateMs, polls: group.state(name).exchanges - before };
}

describe('a member that stands by and is not notified', () => {
  it('reads each renewal soon after it was made, with four polls in T', () => {
    const group = standing(true);
    const standby = leaderOf(group) === 'c' ? 'a' : 'c';
    const { lateMs, polls } = readingsOf(group, standby);
    expect(lateMs.length).toBeGreaterThanOrEqual(14);
    expect(Math.max(...lateMs)).toBeLessThan(thresholdMs / 16);
    expect(Math.abs(polls - 20)).toBeLessThanOrEqual(1);
  });

  it('polls no less often where the wall clocks differ, and hardly more often', () => {
    const group = standing(true);
    const { lateMs, polls } = readingsOf(group, leaderOf(group) === 'b' ? 'a' : 'b');
    expect(lateMs.length).toBeGreaterThanOrEqual(14);
    expect(polls).toBeGreaterThanOrEqual(19);
    expect(polls).toBeLessThanOrEqual(25);
  });

  it('polls at an even pace where notifications show it renewals', () => {
    const group = standing(false);
    const { lateMs } = readingsOf(group, leaderOf(group) === 'c' ? 'a' : 'c');
    expect(Math.max(...lateMs)).toBeGreaterThan(thresholdMs / 8);
  });

  it('reads a renewal soon that the poll after it was too early for', () => {
    const group = standing(true, 0.05 * thresholdMs);
    const { lateMs, polls } = readingsOf(group, leaderOf(group) === 'c' ? 'a' : 'c');
    expect(lateMs.length).toBeGreaterThanOrEqual(14);
    expect(Math.max(...lateMs)).toBeLessThan(thresholdMs / 8);
    expect(polls).toBeLessThanOrEqual(32);
  });
});

/** Kills the leader that many milliseconds after a round second. Returns how long nobody leads then. */
function failOverMs(group: Group, killMs: number, lockedMs = 0): number {
  group.pass(killMs);
  const leader = leaderOf(group);
  const others = ['a', 'b', 'c'].filter((name) => name !== leader);
  group.kill(leader);
  if (lockedMs > 0) group.lock(`session#${leader}/1`, lockedMs);
  let ms = 0;
  for (; others.every((name) => group.state(name).led.size === 0); ms += 1) group.pass(1);
  return ms;
}

describe('a member that nothing notifies of a crash', () => {
  const commitMs = 20;
  // A renewal is read T/16 after it was sent, at the latest. Two exchanges follow the lapse.
  const usualMs = (1 + 1 / 16) * thresholdMs + 3 * commitMs;

  it('leads soon after the lease, though another one deposes at that instant', () => {
    const gaps = Array.from({ length: 12 }, (_, index) =>
      failOverMs(standing(true, commitMs, 0), index * 29),
    );
    expect(Math.max(...gaps)).toBeLessThan(usualMs);
  });

  it('repeats a deposition soon that a lock has refused, and less and less often', () => {
    const usual = failOverMs(standing(true, commitMs, 0), 0);
    const group = standing(true, commitMs, 0);
    expect(failOverMs(group, 0, usual - commitMs)).toBeLessThan(usual + 3 * commitMs);
    const locked = standing(true, commitMs, 0);
    failOverMs(locked, 0, 3 * thresholdMs);
    expect(locked.lines.filter((line) => line.includes('(refused)')).length).toBeLessThan(40);
  });
});
