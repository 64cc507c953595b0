import { conformanceTests } from '@leadership/testkit/vitest';
import { type DynamoDbKind, hasDynamoDb } from '@leadership/tools/aws';
import { describe } from 'vitest';
import { kinesisCluster } from './kinesis-cluster.ts';

/** Where the environment names a server, as LocalStack, it is that one; else each that can be started. */
const isGiven = Boolean(process.env['AWS_ENDPOINT_URL_DYNAMODB'] || process.env['AWS_ENDPOINT_URL']);
const kinds: readonly (DynamoDbKind | undefined)[] = isGiven ? [undefined] : ['dynamodb-local', 'dynalite'];

describe.each(kinds)('on a table of %s', async (kind) => {
  const options = kind ? { kind } : {};
  describe.runIf(await hasDynamoDb(options))('where it can be started', () => conformanceTests(() => kinesisCluster(options)));
});
