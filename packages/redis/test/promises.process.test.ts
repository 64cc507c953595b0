import { corePromises } from '@leadership/testkit';
import { conformanceTests } from '@leadership/testkit/vitest';
import { hasRedis } from '@leadership/tools/redis';
import { describe } from 'vitest';
import { redisCluster } from './redis-cluster.ts';

describe.runIf(await hasRedis())('on Redis', () => conformanceTests(redisCluster, corePromises));
