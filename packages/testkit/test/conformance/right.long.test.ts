import { conformanceTests } from '../../src/vitest.ts';
import { looseCluster } from './loose-cluster.ts';

conformanceTests(() => looseCluster());
