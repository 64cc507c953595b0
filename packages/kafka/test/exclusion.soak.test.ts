import { randomInt } from 'node:crypto';
import { hasKafka } from '@leadership/tools/kafka';
import { figures, soak } from '@leadership/tools/soak';
import { describe, expect, test } from 'vitest';
import { kafkaGround } from './support/soak-ground.ts';

/** T is ten times the stalls of a machine with two busy cores and three brokers. */
const settings = { members: 5, partitions: 8, thresholdMs: 1000 };
const names = Array.from({ length: settings.members }, (_, index) => `m${index + 1}`);

const version = process.env['SOAK_KAFKA'] === '3.9' ? '3.9' : '4.1';

describe.runIf(await hasKafka({ brokers: 3, version, faults: true }))('on three brokers', () => {
  test('nobody leads beside another while processes, brokers, connections, topic and group fail, for SOAK_MINUTES (L, T1, H2)', async () => {
    const durationMs = Number(process.env['SOAK_MINUTES'] ?? 10) * 60_000;
    const seed = Number(process.env['SOAK_SEED'] ?? randomInt(2 ** 31));
    await using ground = await kafkaGround(names, version);
    process.stderr.write(`soak: seed ${seed}\n`);
    const report = await soak({ ...settings, durationMs, seed }, ground, (line) => process.stderr.write(`soak: ${line}\n`));
    process.stdout.write(`${figures(report)}\n`);
    expect(report.contradictions.map(({ sentence }) => sentence)).toEqual([]);
  });
});
