import { conformance, corePromises } from '@leadership/testkit';
import { conformanceTests } from '@leadership/testkit/vitest';
import { nerioCluster } from './nerio-cluster.ts';

/** The checks that `promises.process.test.ts` does not run on the same kind of server. */
const others = conformance.filter((check) => !corePromises.includes(check));

conformanceTests(nerioCluster, others);
