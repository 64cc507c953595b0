import { conformance, corePromises } from '@leadership/testkit';
import { conformanceTests } from '@leadership/testkit/vitest';
import { hasMysql } from '@leadership/tools/mysql';
import { describe } from 'vitest';
import { mysqlCluster } from './mysql-cluster.ts';

/** The checks that `promises.process.test.ts` does not run on the same kind of server. */
const others = conformance.filter((check) => !corePromises.includes(check));

describe.runIf(await hasMysql())('on MySQL', () => conformanceTests(mysqlCluster, others));
