import { hasDynamoDb } from '@leadership/tools/aws';
import { judgedSoak } from '@leadership/tools/soak';
import { describe, expect, test } from 'vitest';
import { tableEnvironment } from './support/soak-environment.ts';

/**
 * On a machine with two busy cores a request through the proxy takes 100 ms, and it times out after
 * a share of T.
 */
const settings = { members: 5, partitions: 4, thresholdMs: 2000 };

describe.runIf(await hasDynamoDb())('on a table', () => {
  test('two members never lead at once while processes, connections, items and the table fail, for SOAK_MINUTES (L, T1, H2)', async () => {
    await using environment = await tableEnvironment();
    expect((await judgedSoak(settings, environment)).broken).toEqual([]);
  });
});
