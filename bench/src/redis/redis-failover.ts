// Measures fail-over on Redis, beside a loop over a key that expires, and over a lock of `redlock`.
import type { Report } from '../report/figures.ts';
import { type FailoverOptions, failover } from '../rows/fail-over.ts';
import { openRedisGround } from './environment.ts';

/** Runs the benchmark. */
export async function redisFailover(options: FailoverOptions): Promise<Report> {
  await using environment = await openRedisGround();
  const ours = { ...environment.ours, name: 'redis-failover' };
  return await failover(
    'Redis of this host',
    ours,
    [environment.key, environment.redlock],
    options,
  );
}
