import { describe, expect, it } from 'vitest';
import {
  faultsOf,
  replicasFor,
  settingsFor,
  type TopicUse,
} from '../../src/topic/topic-settings.ts';

function faults(
  settings: Record<string, string>,
  replicas = 3,
  autoCreates = false,
  use: TopicUse = 'lease',
  thresholdMs = 3000,
) {
  const all = new Map(Object.entries({ ...settingsFor(replicas, use), ...settings }));
  return faultsOf({ replicas, autoCreates, settings: all }, use, thresholdMs);
}

describe('the settings of a topic', () => {
  it('have no faults if the member created the topic', () => {
    expect(settingsFor(3, 'lease')).toMatchObject({
      'cleanup.policy': 'delete',
      'retention.ms': '-1',
      'min.insync.replicas': '2',
    });
    expect(settingsFor(2, 'lease')).not.toHaveProperty('min.insync.replicas');
    expect([1, 2, 3, 9].map(replicasFor)).toEqual([1, 2, 3, 3]);
    expect(faults({})).toEqual({ refused: [], warned: [] });
  });

  it.each([
    ['cleanup.policy', 'compact'],
    ['cleanup.policy', 'compact,delete'],
    ['unclean.leader.election.enable', 'true'],
    ['retention.ms', '3599999'],
    ['retention.bytes', '1000'],
  ])('are refused with the name of what breaks a promise: %s=%s', (name, value) => {
    const { refused } = faults({ [name]: value });
    expect(refused).toHaveLength(1);
    expect(refused[0]).toMatch(new RegExp(`^${name} is ${value}: .*set it to`));
  });

  it.each([
    ['retention.ms', '3600000'],
    ['retention.bytes', '1000000000'],
    ['retention.ms', '-1'],
  ])('are taken as long as nothing current goes: %s=%s', (name, value) => {
    expect(faults({ [name]: value })).toEqual({ refused: [], warned: [] });
  });

  it('are refused with a retention below twenty times T', () => {
    const withRetention = (ms: number, thresholdMs: number) =>
      faults({ 'retention.ms': String(ms) }, 3, false, 'lease', thresholdMs);
    expect(withRetention(3_600_000, 180_000).refused).toEqual([]);
    expect(withRetention(3_600_000, 180_001).refused).toEqual([
      expect.stringMatching(/^retention.ms is 3600000: less than 3600020 /),
    ]);
    expect(withRetention(-1, 3_600_000).refused).toEqual([]);
  });

  it('cause a warning if they weaken a guarantee', () => {
    expect(faults({}, 1).warned).toEqual([expect.stringMatching(/one replica/)]);
    expect(faults({ 'min.insync.replicas': '1' }).warned).toEqual([
      expect.stringMatching(/^min.insync.replicas is 1/),
    ]);
    expect(faults({ 'max.message.bytes': '999999' }).warned).toEqual([
      expect.stringMatching(/^max.message.bytes is 999999: .* no old record is removed; set it to/),
    ]);
    expect(faults({ 'max.message.bytes': '999999' }, 3, false, 'beats').warned).toEqual([]);
    expect(faults({ 'compression.type': 'producer' }).warned).toEqual([
      expect.stringMatching(/^compression.type is producer/),
    ]);
    expect(faults({}, 3, true).warned).toEqual([
      expect.stringMatching(/^auto.create.topics.enable/),
    ]);
    expect(faultsOf({ replicas: 3, settings: new Map() }, 'lease', 3000)).toEqual({
      refused: [],
      warned: [expect.stringMatching(/DescribeConfigs/)],
    });
  });

  it("of beats may have a short retention, but need the broker's time stamps if those count", () => {
    expect(settingsFor(3, 'beats')).toMatchObject({
      'retention.ms': '3600000',
      'message.timestamp.type': 'LogAppendTime',
    });
    for (const use of ['beats', 'stamped-beats'] as const) {
      expect(faults({}, 1, false, use)).toEqual({ refused: [], warned: [] });
      expect(
        faults({ 'retention.ms': '1000', 'unclean.leader.election.enable': 'true' }, 3, false, use)
          .refused,
      ).toEqual([]);
      expect(faults({ 'cleanup.policy': 'compact' }, 3, false, use).refused).toHaveLength(1);
    }
    const stamped = { 'message.timestamp.type': 'CreateTime' };
    expect(faults(stamped, 3, false, 'beats').refused).toEqual([]);
    expect(faults(stamped, 3, false, 'stamped-beats').refused).toEqual([
      expect.stringMatching(/^message.timestamp.type is CreateTime/),
    ]);
  });
});
