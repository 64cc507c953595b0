/**
 * Leader election on Redis 6.2 or newer, and Valkey. One hash holds the rows of a group.
 * {@link redisLeadership} opens a source on it, and so does
 * `openLeadership('redis://HOST:PORT/DB?group=GROUP')`. A fail-over can lose writes that the server
 * has acknowledged; `guarantees.assumes` says so.
 *
 * @packageDocumentation
 */
export type {
  IoredisClient,
  NodeRedisClient,
  RedisConnection,
  RedisOptions,
} from './options.ts';
export { backend, redisLeadership } from './redis-leadership.ts';
export type { RedisUrlOptions } from './url-options.ts';
