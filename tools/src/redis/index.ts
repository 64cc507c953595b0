/**
 * Real servers of Redis or Valkey: for tests and benchmarks.
 *
 * @packageDocumentation
 */

export type { NamedServer } from '../backends/given-server.ts';
export { askRedis } from './ask-redis.ts';
export {
  type LocalRedis,
  localRedis,
  type RedisSettings,
} from './local-redis.ts';
export { type LocalRedisCluster, localRedisCluster } from './redis-cluster.ts';
export { type LocalSentinel, localReplica, localSentinel } from './sentinel.ts';
export { hasLocalRedis, hasRedis, startRedis } from './start-redis.ts';
