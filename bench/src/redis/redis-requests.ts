// Counts the requests of idle groups at the server, by `INFO commandstats`.
import { type IdleRequestsOptions, idleRequests } from '../measure/idle-requests.ts';
import type { Report } from '../report/figures.ts';
import { openRedisGround } from './environment.ts';

/** Runs the benchmark. */
export async function redisRequests(options: IdleRequestsOptions): Promise<Report> {
  await using environment = await openRedisGround();
  return await idleRequests(
    {
      name: 'redis-requests',
      words: { reads: 'reads', writes: 'changes' },
      start: (input) => environment.ours.start(input),
      count: () => environment.scripts(),
    },
    options,
  );
}
