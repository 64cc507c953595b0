import { corePromises } from '@leadership/testkit';
import { conformanceTests } from '@leadership/testkit/vitest';
import { hasMysql } from '@leadership/tools/mysql';
import { describe } from 'vitest';
import { mysqlCluster } from './mysql-cluster.ts';

describe.runIf(await hasMysql())('on MySQL', () => conformanceTests(mysqlCluster, corePromises));
