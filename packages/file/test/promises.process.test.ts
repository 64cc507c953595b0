import { corePromises } from '@leadership/testkit';
import { conformanceTests } from '@leadership/testkit/vitest';
import { fileCluster } from './file-cluster.ts';

conformanceTests(fileCluster, corePromises);
