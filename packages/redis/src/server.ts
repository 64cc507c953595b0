// Checks that a Redis server is safe for leases, before the rows are used: its version, its role,
// its settings.
import { checkVersion, misconfigured } from '@leadership/core/adapter';

/** The oldest release that is supported: the first with all that the scripts use. */
const oldest = '6.2';

/**
 * Checks the answer to `INFO`. Returns what weakens a guarantee.
 * @throws LeadershipError `misconfigured-backend` if the server cannot be used
 */
export function checkServer(info: string): string | undefined {
  const fields = new Map(
    info.split(/\r?\n/).map((line) => line.split(/:(.*)/s, 2) as [string, string | undefined]),
  );
  const version = fields.get('redis_version') ?? '';
  if (/^\d+\.\d+/.test(version)) checkVersion('Redis', version, oldest);
  if (fields.get('role') === 'slave') throw new Error('READONLY INFO says role:slave');
  const policy = fields.get('maxmemory_policy') ?? '';
  if (policy.startsWith('allkeys') && Number(fields.get('maxmemory')) > 0)
    throw misconfigured(
      `maxmemory-policy is ${policy}, so the server may delete the key of the group: set noeviction, or a policy that begins with volatile, because the key does not expire`,
    );
  if (fields.get('aof_enabled') === '0' && fields.get('connected_slaves') === '0')
    return 'appendonly is no and no replica is connected, so a restart of the server loses the leases that it acknowledged: set appendonly to yes, or connect a replica';
  return undefined;
}
