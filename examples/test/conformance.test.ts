import { conformanceTests } from '@leadership/testkit/vitest';
import { tableCluster } from './table-cluster.ts';

conformanceTests(tableCluster);
