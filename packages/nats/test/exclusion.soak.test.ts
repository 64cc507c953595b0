import { hasNats } from '@leadership/tools/nats';
import { judgedSoak } from '@leadership/tools/soak';
import { describe, expect, test } from 'vitest';
import { natsEnvironment } from './support/soak-environment.ts';

/** Servers elect another leader of the bucket within 10 s, so terms end with each crash of one. */
const settings = { members: 5, partitions: 8, thresholdMs: 1000 };
const names = Array.from({ length: settings.members }, (_, index) => `m${index + 1}`);

describe.runIf(await hasNats())('on three servers of NATS', () => {
  test('no two members lead at once while processes, servers, connections and keys fail, for SOAK_MINUTES (L, T1, H2)', async () => {
    await using environment = await natsEnvironment(names);
    expect((await judgedSoak(settings, environment)).broken).toEqual([]);
  });
});
