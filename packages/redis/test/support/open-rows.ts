import { randomUUID } from 'node:crypto';
import { recordingHost } from '@leadership/testkit/adapter';
import type { OpenRows } from '@leadership/tools/rows';
import { byAddress, likeIoredis } from '../../src/ioredis.ts';
import { likeNodeRedis } from '../../src/node-redis.ts';
import {
  type IoredisClient,
  isIoredis,
  type NodeRedisClient,
  type RedisConnection,
} from '../../src/options.ts';
import { type RedisRowsOptions, redisRows } from '../../src/rows.ts';

const connectMs = 5000;
const defaults = {
  prefix: 'leadership:',
  thresholdMs: 3000,
  doubtMs: 3000,
  minReplicas: 0,
  notifications: true,
};

/** Opens rows over connections like those of a client, or to an address. */
export function openRows(
  from: RedisConnection | IoredisClient | NodeRedisClient,
  options: Partial<RedisRowsOptions> & { readonly member?: string } = {},
): OpenRows {
  const { member = 'm', ...own } = options;
  const host = recordingHost(member);
  const place = { group: randomUUID(), ...defaults, ...own };
  const open = !('duplicate' in from)
    ? byAddress(from, connectMs)
    : isIoredis(from)
      ? likeIoredis(from, connectMs)
      : likeNodeRedis(from, connectMs);
  const rows = redisRows(open, place, host);
  return {
    rows,
    host,
    async [Symbol.asyncDispose]() {
      await rows.close();
    },
  };
}
