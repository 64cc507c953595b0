import { randomUUID } from 'node:crypto';
import type { Rows } from '@leadership/core/adapter';
import { type RecordingHost, recordingHost } from '@leadership/testkit/adapter';
import { byAddress, likeIoredis } from '../../src/ioredis.ts';
import { likeNodeRedis } from '../../src/node-redis.ts';
import {
  type IoredisClient,
  isIoredis,
  type NodeRedisClient,
  type RedisConnection,
} from '../../src/options.ts';
import { type RedisRowsOptions, redisRows } from '../../src/rows.ts';

/** The rows of a group, as one member uses them. Disposing closes its connections. */
export interface OpenRows extends AsyncDisposable {
  readonly rows: Rows;
  readonly host: RecordingHost;
}

/** A signal of each request: Node warns of a leak where many requests listen to one. */
const never = (): AbortSignal => new AbortController().signal;
const connectMs = 5000;
const defaults = {
  ...{ prefix: 'leadership:', thresholdMs: 3000, minReplicas: 0, notifications: true },
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

/** Reads the rows. */
export function listed({ rows }: OpenRows, signal = never()): Promise<ReadonlyMap<string, string>> {
  return rows.list({ signal, mayLag: false });
}

/** Changes a row. */
export function changed(
  { rows }: OpenRows,
  name: string,
  expected: string | null,
  text: string | null,
  isAwaited = false,
  signal = never(),
): ReturnType<Rows['replace']> {
  return rows.replace({ name, expected, text, isAwaited }, signal);
}

/** Checks the server. */
export function prepared({ rows }: OpenRows): Promise<void> {
  return rows.open?.(never()) ?? Promise.resolve();
}
