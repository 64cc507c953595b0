/**
 * Real servers of Redis or Valkey: for tests and benchmarks.
 *
 * @packageDocumentation
 */

export { askRedis } from './ask-redis.ts';
export {
  type LocalRedis,
  localRedis,
  type RedisAddress,
  type RedisSettings,
} from './local-redis.ts';
export { type LocalRedisCluster, localRedisCluster } from './redis-cluster.ts';
export { type LocalSentinel, localReplica, localSentinel } from './sentinel.ts';
export { hasLocalRedis, hasRedis, type RedisServer, startRedis } from './start-redis.ts';
