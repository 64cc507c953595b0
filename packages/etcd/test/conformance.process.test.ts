import { conformance, corePromises } from '@leadership/testkit';
import { conformanceTests } from '@leadership/testkit/vitest';
import { hasEtcd } from '@leadership/tools/etcd';
import { describe } from 'vitest';
import { etcdCluster } from './etcd-cluster.ts';

/** The checks that `promises.process.test.ts` does not run on the same kind of server. */
const others = conformance.filter((check) => !corePromises.includes(check));

describe.runIf(await hasEtcd())('on etcd', () => conformanceTests(() => etcdCluster(), others));
