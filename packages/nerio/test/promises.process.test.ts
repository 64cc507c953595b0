import { corePromises } from '@leadership/testkit';
import { conformanceTests } from '@leadership/testkit/vitest';
import { nerioCluster } from './nerio-cluster.ts';

conformanceTests(nerioCluster, corePromises);
