// Checks that a Redis server is safe for leases, before the rows are used: its version, its role,
// its settings.
import { misconfigured } from '@leadership/core/adapter';

/** The oldest release that is supported, as a number: the first with all that the scripts use. */
const oldest = { number: 602, name: '6.2' };

/**
 * Checks the answer to `INFO`. Returns what weakens a guarantee.
 * @throws LeadershipError `misconfigured-backend` if the server cannot be used
 */
export function checkServer(info: string): string | undefined {
  const fields = new Map(
    info.split(/\r?\n/).map((line) => line.split(/:(.*)/s, 2) as [string, string | undefined]),
  );
  const version = fields.get('redis_version') ?? '';
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  if (major !== undefined && Number(major) * 100 + Number(minor) < oldest.number)
    throw misconfigured(
      `the server is Redis ${version}, but ${oldest.name} is the oldest that is supported: upgrade it`,
    );
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
