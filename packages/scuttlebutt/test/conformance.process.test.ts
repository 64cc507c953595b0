import { conformance, corePromises } from '@leadership/testkit';
import { conformanceTests } from '@leadership/testkit/vitest';
import { gossipCluster } from './gossip-cluster.ts';

/** The checks that `promises.process.test.ts` does not run on the same kind of group. */
const others = conformance.filter((check) => !corePromises.includes(check));

conformanceTests(gossipCluster, others);
