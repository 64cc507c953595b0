import { conformanceTests } from '@leadership/testkit/vitest';
import { hasDynamoDb } from '@leadership/tools/aws';
import { describe } from 'vitest';
import { kinesisCluster } from './kinesis-cluster.ts';
import { kinds } from './support/kinds.ts';

describe.each(kinds)('on a table of %s', async (kind) => {
  const options = kind ? { kind } : {};
  describe.runIf(await hasDynamoDb(options))('if the emulator can be started', () =>
    conformanceTests(() => kinesisCluster(options)),
  );
});
