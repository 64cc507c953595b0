import { corePromises } from '@leadership/testkit';
import { conformanceTests } from '@leadership/testkit/vitest';
import { gossipCluster } from './gossip-cluster.ts';

conformanceTests(gossipCluster, corePromises);
