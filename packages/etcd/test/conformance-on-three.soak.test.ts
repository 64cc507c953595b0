// On request: the suite on three servers takes as long as on one, and CI has no time for both.
import { conformanceTests } from '@leadership/testkit/vitest';
import { hasLocalEtcd } from '@leadership/tools/etcd';
import { describe } from 'vitest';
import { etcdCluster } from './etcd-cluster.ts';

describe.runIf(await hasLocalEtcd())('on three servers of etcd', () =>
  conformanceTests(() => etcdCluster({ servers: 3 })),
);
