import { conformanceTests } from '@leadership/testkit/vitest';
import { hasEtcd } from '@leadership/tools/etcd';
import { describe } from 'vitest';
import { etcdCluster } from './etcd-cluster.ts';

describe.runIf(await hasEtcd())('on etcd', () => conformanceTests(() => etcdCluster()));
