import { hasKafka } from '@leadership/tools/kafka';
import { judgedSoak } from '@leadership/tools/soak';
import { describe, expect, test } from 'vitest';
import { kafkaEnvironment } from './support/soak-environment.ts';

/** T is ten times the stalls of a machine with two busy cores and three brokers. */
const settings = { members: 5, partitions: 8, thresholdMs: 2000 };
const names = Array.from({ length: settings.members }, (_, index) => `m${index + 1}`);

const version = process.env['SOAK_KAFKA'] === '3.9' ? '3.9' : '4.1';

describe.runIf(await hasKafka({ brokers: 3, version, faults: true }))('on three brokers', () => {
  test('no two members lead at once while processes, brokers, connections, topic and group fail, for SOAK_MINUTES (L, T1, H2)', async () => {
    await using environment = await kafkaEnvironment(names, version);
    expect((await judgedSoak(settings, environment)).broken).toEqual([]);
  });
});
