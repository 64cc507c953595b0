// Counts the requests of idle groups at the server, by `INFO commandstats`.
import { type IdleRequestsOptions, idleRequests } from '../measure/idle-requests.ts';
import type { Report } from '../report/figures.ts';
import { openRedisGround } from './ground.ts';

/** Runs the benchmark. */
export async function redisRequests(options: IdleRequestsOptions): Promise<Report> {
  await using ground = await openRedisGround();
  return await idleRequests(
    {
      name: 'redis-requests',
      words: { reads: 'reads', writes: 'changes' },
      start: (input) => ground.start('redis', input),
      count: () => ground.scripts(),
    },
    options,
  );
}
