import { conformanceTests } from '@leadership/testkit/vitest';
import { hasDynamoDb } from '@leadership/tools/aws';
import { describe } from 'vitest';
import { kinesisCluster } from './kinesis-cluster.ts';

describe.runIf(await hasDynamoDb())('on a table', () => conformanceTests(() => kinesisCluster()));
