import { memoryCluster } from '../../src/faults.ts';
import { conformanceTests } from '../../src/vitest.ts';

conformanceTests(memoryCluster);
