import { hasLocalMysql } from '@leadership/tools/mysql';
import { judgedSoak, replicatedEnvironment } from '@leadership/tools/soak';
import { describe, expect, test } from 'vitest';
import { semiSynchronousReplica } from './support/soak-environment.ts';

/** A commit waits for the disks of two servers, so with a shorter T the members of a busy machine seldom lead. */
const settings = { members: 5, partitions: 8, thresholdMs: 2000 };
const names = Array.from({ length: settings.members }, (_, index) => `m${index + 1}`);

describe.runIf(await hasLocalMysql())('on MariaDB with a replica', () => {
  test('no two members lead at once while processes, servers, connections and rows fail, for SOAK_MINUTES (L, T1, H2)', async () => {
    await using environment = await replicatedEnvironment(names, semiSynchronousReplica);
    expect((await judgedSoak(settings, environment)).broken).toEqual([]);
  });
});
