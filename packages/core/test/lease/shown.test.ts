// A release that a notification shows to the next owner, before it reads.
import { describe, expect, it } from 'vitest';
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
