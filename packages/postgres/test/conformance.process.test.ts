import { conformance, corePromises } from '@leadership/testkit';
import { conformanceTests } from '@leadership/testkit/vitest';
import { hasPostgres } from '@leadership/tools/postgres';
import { describe } from 'vitest';
import { postgresCluster } from './postgres-cluster.ts';

/** The checks that `promises.process.test.ts` does not run on the same kind of server. */
const others = conformance.filter((check) => !corePromises.includes(check));

describe.runIf(await hasPostgres())('on Postgres', () => conformanceTests(postgresCluster, others));
