// What a notification shows to a member before it reads: a release to the next owner, and a new leader.
import { describe, expect, it } from 'vitest';
import type { KnownLeader } from '../../src/contract/backend.ts';
import { partitionName } from '../../src/lease/records.ts';
import { Group } from './group.ts';

const name = partitionName(0);

function settled(): Group {
  const group = new Group();
  group.start('a');
  group.start('b');
  group.pass(1500);
  return group;
}

const leads = (group: Group, member: string): boolean => group.state(member).led.has(0);

/** Lets the leader resign, and returns after how many milliseconds the other member leads. */
function handOver(group: Group, shows: boolean): number {
  group.feed('a', { kind: 'resign', partition: 0, abstainMs: 0 });
  while (!isReleased(group)) group.pass(1);
  const rows = [[name, group.store.rows.get(name) ?? null]] as const;
  for (let ms = 0; ms < 100; ms += 1) {
    // The notification without rows arrives 2 ms after the release.
    if (ms === 1 && shows) group.feed('b', { kind: 'notified', rows });
    group.pass(1);
    if (leads(group, 'b')) return ms;
  }
  throw new Error('no member leads');
}

function isReleased({ store }: Group): boolean {
  return store.rows.get(name)?.includes('"kind":"release"') === true;
}

describe('a release that is shown', () => {
  it('is claimed without a reading: a hand-over takes one request less (M5)', () => {
    expect(handOver(settled(), false)).toBeGreaterThanOrEqual(8);
    expect(handOver(settled(), true)).toBeLessThan(8);
  });

  it('begins nothing if the store does not hold it, and raises no token (M3, T1)', () => {
    const group = settled();
    const { life, version } = JSON.parse(group.store.rows.get(name) ?? '');
    const { seenToken } = group.state('b').partitions[0] ?? {};
    const forged = { kind: 'release', life, version: version + 1, token: '9000000000000000' };
    group.feed('b', { kind: 'notified', rows: [[name, JSON.stringify(forged)]] });
    group.pass(50);
    expect([leads(group, 'a'), leads(group, 'b')]).toEqual([true, false]);
    expect(group.state('b').partitions[0]).toMatchObject({ seenToken, shown: undefined });
    expect(handOver(group, true)).toBeLessThan(8);
    expect(group.lines.join('\n')).toContain('(refused)');
  });

  it('of another life, or not newer than what was read, is not claimed (M6)', () => {
    const group = settled();
    const { life, version } = JSON.parse(group.store.rows.get(name) ?? '');
    for (const [of, at] of [
      ['another', version + 1],
      [life, version],
    ] as const) {
      const release = { kind: 'release', life: of, version: at, token: '1' };
      group.feed('b', { kind: 'notified', rows: [[name, JSON.stringify(release)]] });
      expect(group.state('b').partitions[0]?.shown).toBeUndefined();
    }
  });

  it('is not claimed in doubt, nor later on that ground (M6)', () => {
    const group = settled();
    const before = [...group.store.rows];
    group.change('is restored', (store) => store.restore(before));
    group.pass(400);
    const { life, version } = JSON.parse(group.store.rows.get(name) ?? '');
    const release = { kind: 'release', life, version: version + 1, token: '1' };
    const lines = group.lines.length;
    group.feed('b', { kind: 'notified', rows: [[name, JSON.stringify(release)]] });
    group.pass(1500);
    expect(group.lines.slice(lines).join('\n')).not.toContain('claims partition 0 for session b');
  });
});

describe('a claim that is shown', () => {
  const row = ({ store }: Group): string => store.rows.get(name) ?? '';
  const leaderFor = (group: Group, member: string): KnownLeader | undefined =>
    group.state(member).partitions[0]?.leader;

  /** A group whose leader was killed, and whose next one has just claimed the partition. */
  function claimed(): Group {
    const group = new Group();
    group.start('a');
    group.start('observer', 1, { campaign: false });
    group.pass(1200);
    group.kill('a');
    group.start('b');
    while (!row(group).includes('"session":"b')) group.pass(1);
    return group;
  }

  it('is reported without a reading (M3)', () => {
    const [group, another] = [claimed(), claimed()];
    expect(leaderFor(group, 'observer')?.member).not.toBe('b');
    const opened = ['session#b/1', group.store.rows.get('session#b/1') ?? null] as const;
    group.feed('observer', { kind: 'notified', rows: [opened, [name, row(group)]] });
    expect(leaderFor(group, 'observer')?.member).toBe('b');
    for (const one of [group, another]) one.pass(100);
    const { exchanges } = another.state('observer');
    expect(group.state('observer').exchanges).toBe(exchanges);
    group.pass(1000);
    expect(leaderFor(group, 'observer')?.member).toBe('b');
  });

  it('takes one reading if nothing shows who claims (M3)', () => {
    const group = claimed();
    group.pass(1000);
    const record = JSON.parse(row(group));
    const text = JSON.stringify({ ...record, version: record.version + 1, session: 'c/1' });
    const { exchanges, flight } = group.state('observer');
    expect(flight).toBeUndefined();
    group.feed('observer', { kind: 'notified', rows: [[name, text]] });
    expect(leaderFor(group, 'observer')?.member).toBe('b');
    group.pass(10);
    expect(group.state('observer').exchanges).toBe(exchanges + 1);
  });

  it('is not reported any more once a later exchange has ended that does not show it (M3)', () => {
    const group = claimed();
    group.pass(1000);
    const { token = 0n } = leaderFor(group, 'observer') ?? {};
    const record = JSON.parse(row(group));
    const forged = { ...record, version: record.version + 1, token: String(token + 1n) };
    const rows = [[name, JSON.stringify(forged)]] as const;
    group.feed('observer', { kind: 'notified', rows });
    expect(leaderFor(group, 'observer')?.token).toBe(token + 1n);
    group.pass(600);
    expect(leaderFor(group, 'observer')?.token).toBe(token);
    group.cut('observer', 1000);
    group.feed('observer', { kind: 'notified', rows });
    expect(leaderFor(group, 'observer')?.token).toBe(token + 1n);
    while (group.state('observer').failed.count === 0) group.pass(1);
    expect(leaderFor(group, 'observer')?.token).not.toBe(token + 1n);
  });

  it('of another life, or not newer than what was read, is not reported (M3)', () => {
    const group = claimed();
    group.pass(1000);
    const record = JSON.parse(row(group));
    const { token = 0n } = leaderFor(group, 'observer') ?? {};
    for (const change of [{ life: 'another', version: record.version + 1 }, {}]) {
      const text = JSON.stringify({ ...record, ...change, token: String(token + 1n) });
      group.feed('observer', { kind: 'notified', rows: [[name, text]] });
      expect(leaderFor(group, 'observer')?.token).toBe(token);
    }
  });

  it('ends no term of the member that leads, which reads at once (M3)', () => {
    const group = claimed();
    group.pass(1000);
    const record = JSON.parse(row(group));
    const text = JSON.stringify({ ...record, version: record.version + 1, session: 'c/1' });
    const { exchanges } = group.state('b');
    group.feed('b', { kind: 'notified', rows: [[name, text]] });
    group.pass(50);
    expect([leads(group, 'b'), leaderFor(group, 'b')?.member]).toEqual([true, 'b']);
    expect(group.state('b').exchanges).toBe(exchanges + 1);
  });
});
