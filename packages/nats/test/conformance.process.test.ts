import { conformanceTests } from '@leadership/testkit/vitest';
import { hasNats } from '@leadership/tools/nats';
import { describe } from 'vitest';
import { natsCluster } from './nats-cluster.ts';

describe.runIf(await hasNats())('on NATS', () => conformanceTests(() => natsCluster()));
