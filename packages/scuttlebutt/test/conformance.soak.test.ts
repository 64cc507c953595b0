// On request, until every check passes: some fail, as the README of the package says.
import { conformance, corePromises } from '@leadership/testkit';
import { conformanceTests } from '@leadership/testkit/vitest';
import { gossipCluster } from './gossip-cluster.ts';

/** The checks that `promises.soak.test.ts` does not run on the same kind of group. */
const others = conformance.filter((check) => !corePromises.includes(check));

conformanceTests(gossipCluster, others);
