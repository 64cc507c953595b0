import { hasDynamoDb } from '@leadership/tools/aws';
import { judgedSoak } from '@leadership/tools/soak';
import { describe, expect, test } from 'vitest';
import { tableGround } from './support/soak-ground.ts';

/** A request through the proxy takes a tenth of a second on a machine with two busy cores, and is given up after a part of T. */
const settings = { members: 5, partitions: 4, thresholdMs: 2000 };

const kind = process.env['SOAK_TABLE'] === 'dynamodb-local' ? 'dynamodb-local' : 'dynalite';

describe.runIf(await hasDynamoDb({ kind }))('on a table', () => {
  test('nobody leads beside another while processes, connections, items and table fail, for SOAK_MINUTES (L, T1, H2)', async () => {
    await using ground = await tableGround(kind);
    expect((await judgedSoak(settings, ground)).broken).toEqual([]);
  });
});
