// Two and a half minutes for each table, most of which are waits for T and for readings of a shard: for when one asks. A part of it runs
// always: continuous.process.test.ts.
import { conformanceTests } from '@leadership/testkit/vitest';
import { hasDynamoDb } from '@leadership/tools/aws';
import { describe } from 'vitest';
import { continuousCluster } from './kinesis-cluster.ts';
import { kinds } from './support/kinds.ts';

describe.each(kinds)('continuous, on a stream and a table of %s', async (kind) => {
  const options = kind ? { kind } : {};
  describe.runIf(await hasDynamoDb(options))('where it can be started', () => conformanceTests(() => continuousCluster(options)));
});
