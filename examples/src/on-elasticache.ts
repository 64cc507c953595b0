import type { LeadershipSource } from '@leadership/core';
import { redisLeadership } from '@leadership/redis';
import { type Credentials, iamToken } from './iam-token.ts';

/** Opens a source on Redis or Valkey of ElastiCache, for the user `app` of IAM. */
export function onElastiCache(credentials: Credentials): LeadershipSource {
  // The token is for the name of the cache, in lower case, and not for its address.
  const request = { service: 'elasticache', host: 'my-cache', user: { User: 'app' } };
  return redisLeadership({
    group: 'billing',
    connection: {
      host: 'master.my-cache.abc123.euw1.cache.amazonaws.com',
      username: 'app',
      password: () => iamToken({ ...request, region: 'eu-west-1' }, credentials),
      tls: true,
    },
  });
}
