import { readFileSync } from 'node:fs';
import type { LeadershipSource } from '@leadership/core';
import { postgresLeadership } from '@leadership/postgres';
import { type Credentials, iamToken } from './iam-token.ts';

const host = 'my-db.abc123.eu-west-1.rds.amazonaws.com';

/** Opens a source on Postgres of RDS, for the user `app`, who has the role `rds_iam`. */
export function onRds(credentials: Credentials): LeadershipSource {
  const request = { service: 'rds-db', host: `${host}:5432`, user: { DBUser: 'app' } };
  return postgresLeadership({
    group: 'billing',
    connection: {
      host,
      port: 5432,
      database: 'app',
      user: 'app',
      password: () => iamToken({ ...request, region: 'eu-west-1' }, credentials),
      ssl: () => ({ ca: readFileSync('global-bundle.pem') }),
    },
  });
}
