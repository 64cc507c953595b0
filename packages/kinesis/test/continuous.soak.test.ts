// The full suite takes two and a half minutes, most of it waiting for T and for reads of a shard, so it
// runs only on request. continuous.process.test.ts always runs a part of it.
import { conformanceTests } from '@leadership/testkit/vitest';
import { hasDynamoDb } from '@leadership/tools/aws';
import { describe, vi } from 'vitest';
import { continuousCluster } from './kinesis-cluster.ts';

// As in continuous.process.test.ts.
vi.setConfig({ maxConcurrency: 3 });

describe.runIf(await hasDynamoDb())('continuous, on a table and a stream', () =>
  conformanceTests(continuousCluster),
);
