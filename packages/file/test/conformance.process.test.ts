import { conformance, corePromises } from '@leadership/testkit';
import { conformanceTests } from '@leadership/testkit/vitest';
import { fileCluster } from './file-cluster.ts';

/** The checks that `promises.process.test.ts` does not run. */
const others = conformance.filter((check) => !corePromises.includes(check));

conformanceTests(fileCluster, others);
