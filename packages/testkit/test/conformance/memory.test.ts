import { conformanceTests } from '../../src/vitest.ts';
import { memoryCluster } from '../support/memory-cluster.ts';

conformanceTests(memoryCluster);
