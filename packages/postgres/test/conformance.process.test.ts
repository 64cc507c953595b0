import { conformanceTests } from '@leadership/testkit/vitest';
import { hasPostgres } from '@leadership/tools/postgres';
import { describe } from 'vitest';
import { postgresCluster } from './postgres-cluster.ts';

describe.runIf(await hasPostgres())('on Postgres', () => conformanceTests(postgresCluster));
