import { conformanceTests } from '@leadership/testkit/vitest';
import { hasDynamoDb } from '@leadership/tools/aws';
import { describe } from 'vitest';
import { kinesisCluster } from './kinesis-cluster.ts';

describe.each(['dynamodb-local', 'dynalite'] as const)('on a table of %s', async (kind) => {
  describe.runIf(await hasDynamoDb({ kind }))('where it can be started', () => conformanceTests(() => kinesisCluster({ kind })));
});
