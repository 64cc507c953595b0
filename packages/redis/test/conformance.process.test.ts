import { conformance, corePromises } from '@leadership/testkit';
import { conformanceTests } from '@leadership/testkit/vitest';
import { hasRedis } from '@leadership/tools/redis';
import { describe } from 'vitest';
import { redisCluster } from './redis-cluster.ts';

/** The checks that `promises.process.test.ts` does not run on the same kind of server. */
const others = conformance.filter((check) => !corePromises.includes(check));

describe.runIf(await hasRedis())('on Redis', () => conformanceTests(redisCluster, others));
