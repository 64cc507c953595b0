import { hasLocalRedis } from '@leadership/tools/redis';
import { judgedSoak } from '@leadership/tools/soak';
import { describe, expect, test } from 'vitest';
import { redisEnvironment } from './support/soak-environment.ts';

/** Sentinel replaces a primary after half a second, so that a longer T shows what is lost. */
const settings = { members: 5, partitions: 8, thresholdMs: 2000 };
const names = Array.from({ length: settings.members }, (_, index) => `m${index + 1}`);
const minReplicas = Number(process.env['SOAK_MIN_REPLICAS'] ?? 0);

describe.runIf(await hasLocalRedis())('on Redis with Sentinel', () => {
  test('two members lead at once only after a fail-over that may have lost writes, while processes, servers, connections and the key fail, for SOAK_MINUTES (L, T1, H2)', async () => {
    await using environment = await redisEnvironment(names, minReplicas, settings.thresholdMs);
    expect((await judgedSoak(settings, environment)).broken).toEqual([]);
  });
});
