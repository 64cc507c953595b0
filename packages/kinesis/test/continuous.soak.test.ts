// The full suite takes two and a half minutes per table, most of it waiting for T and for reads of
// a shard, so it runs only on request. continuous.process.test.ts always runs a part of it.
import { conformanceTests } from '@leadership/testkit/vitest';
import { hasDynamoDb } from '@leadership/tools/aws';
import { describe, vi } from 'vitest';
import { continuousCluster } from './kinesis-cluster.ts';
import { kinds } from './support/kinds.ts';

// As in continuous.process.test.ts.
vi.setConfig({ maxConcurrency: 3 });

describe.each(kinds)('continuous, on a stream and a table of %s', async (kind) => {
  const options = kind ? { kind } : {};
  describe.runIf(await hasDynamoDb(options))('if the emulator can be started', () =>
    conformanceTests(() => continuousCluster(options)),
  );
});
