// Opens a source on Redis, by options (`redisLeadership`) or by URL (`backend`).
import type { LeadershipSource } from '@leadership/core';
import {
  type BackendModule,
  connectionNamed,
  doubtMsOf,
  leaseBackend,
  mergeAddress,
  type OptionLimits,
  openingMsOf,
  openSource,
  resolveOptions,
} from '@leadership/core/adapter';
import { byAddress, likeIoredis } from './ioredis.ts';
import { likeNodeRedis } from './node-redis.ts';
import {
  checkOptions,
  connectionIn,
  isIoredis,
  ownOptions,
  parameters,
  type RedisOptions,
} from './options.ts';
import { redisRows } from './rows.ts';

const limits: OptionLimits = {
  partitions: { max: 10_000, backend: 'Redis' },
  own: ownOptions,
  keepsPartitionsMax: true,
};

/**
 * Opens a source for one member of a group that is kept in a hash of Redis. It starts at once;
 * `ready()` resolves when the server is usable.
 * @throws LeadershipError `invalid-options`
 */
export function redisLeadership(options: RedisOptions): LeadershipSource {
  const { client, connection = {}, ...others } = options;
  const { prefix = 'leadership:', minReplicas = 0, notifications = true, ...common } = others;
  checkOptions(options);
  const resolved = resolveOptions(common, limits);
  const { group, thresholdMs } = resolved;
  const connectMs = openingMsOf(thresholdMs);
  const open =
    client === undefined
      ? byAddress(connection, connectMs)
      : isIoredis(client)
        ? likeIoredis(client, connectMs)
        : likeNodeRedis(client, connectMs);
  const doubtMs = doubtMsOf(resolved);
  const place = { group, thresholdMs, doubtMs, prefix, minReplicas, notifications };
  const backend = leaseBackend(resolved, (host) => redisRows(open, place, host), {
    // A replica that takes over may lack writes that the primary has acknowledged.
    assumes: ['durable-store', 'lossless-failover', 'no-suspend'],
    showsRenewals: notifications,
  });
  return openSource(backend, resolved);
}

/** The backend module for `openLeadership('redis://HOST:PORT/DB?group=GROUP')`. */
export const backend: BackendModule = {
  scheme: 'redis',
  parameters,
  open(address, options) {
    const { client, connection } = options as Partial<RedisOptions>;
    const isGiven = typeof connection === 'string' || client !== undefined;
    const { tls, ...rest } = connectionIn(address);
    // An option with certificates is more than the scheme.
    const hasCertificates = typeof connection === 'object' && typeof connection.tls === 'object';
    const asked = { ...rest, ...(tls !== undefined && !hasCertificates && { tls }) };
    const named = connectionNamed(asked, { scheme: 'redis', isGiven });
    // The user is one of the connection.
    const { username: _, ...parameters } = address.parameters;
    return redisLeadership(
      mergeAddress({ ...address, parameters }, options, named) as RedisOptions,
    );
  },
};
