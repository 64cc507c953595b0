// Two and a half minutes, most of which are waits for T and for readings of a shard: for when one asks.
import { conformanceTests } from '@leadership/testkit/vitest';
import { hasDynamoDb } from '@leadership/tools/aws';
import { describe } from 'vitest';
import { continuousCluster } from './kinesis-cluster.ts';

describe.runIf(await hasDynamoDb())('continuous, on a table and a stream', () => conformanceTests(continuousCluster));
