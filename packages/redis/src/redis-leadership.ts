import { LeadershipError, type LeadershipSource, type SourceOptions } from '@leadership/core';
import {
  type BackendModule,
  mergeAddress,
  type OptionLimits,
  openSource,
  resolveOptions,
  tableBackend,
} from '@leadership/core/adapter';
import { byAddress, likeIoredis } from './ioredis.ts';
import { likeNodeRedis } from './node-redis.ts';
import { checkOptions, connectionIn, isIoredis, parameters, type RedisOptions } from './options.ts';
import { openingMsMin, RedisRows } from './rows.ts';

const ownOptions: Readonly<Record<Exclude<keyof RedisOptions, keyof SourceOptions>, true>> = {
  client: true,
  connection: true,
  prefix: true,
  minReplicas: true,
  notifications: true,
};

/** The limit of the other stores of rows. */
const limits: OptionLimits = {
  partitions: { max: 256, backend: 'Redis' },
  own: Object.keys(ownOptions),
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
  const connectMs = Math.max(openingMsMin, thresholdMs / 3);
  const open =
    client === undefined
      ? byAddress(connection, connectMs)
      : isIoredis(client)
        ? likeIoredis(client, connectMs)
        : likeNodeRedis(client, connectMs);
  const place = { group, thresholdMs, prefix, minReplicas, notifications };
  const backend = tableBackend(resolved, (host) => new RedisRows(open, place, host), {
    // A replica that takes over may lack writes that the primary has acknowledged.
    assumes: ['durable-store', 'lossless-failover', 'no-suspend'],
  });
  return openSource(backend, resolved);
}

/** The backend module for `openLeadership('redis://HOST:PORT/DB?group=GROUP')`. */
export const backend: BackendModule = {
  scheme: 'redis',
  parameters,
  open(address, options) {
    const { username: _, ...merged } = mergeAddress(address, options) as RedisOptions & {
      readonly username?: string;
    };
    const { client, connection = {} } = merged;
    const named = connectionIn(address);
    if (typeof connection === 'object' && client === undefined) {
      // An option with certificates is more than the scheme.
      const tls = connection.tls ?? named.tls;
      const joined = { ...connection, ...named, ...(tls !== undefined && { tls }) };
      return redisLeadership({ ...merged, connection: joined });
    }
    if (Object.keys(named).length > 0)
      throw new LeadershipError(
        'invalid-options',
        'the URL and an option both name the server: write redis:?group=GROUP',
      );
    return redisLeadership(merged);
  },
};
