import { conformance, corePromises } from '@leadership/testkit';
import { conformanceTests } from '@leadership/testkit/vitest';
import { hasDynamoDb } from '@leadership/tools/aws';
import { describe } from 'vitest';
import { kinesisCluster } from './kinesis-cluster.ts';

/** The checks that `promises.process.test.ts` does not run on the same kind of server. */
const others = conformance.filter((check) => !corePromises.includes(check));

describe.runIf(await hasDynamoDb())('on a table', () =>
  conformanceTests(() => kinesisCluster(), others),
);
