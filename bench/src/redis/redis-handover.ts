// Measures an orderly hand-over on Redis, beside a loop over a key that expires, and over a lock of `redlock`.
// The round trip is an increment of a key, over a separate connection.
import type { Report } from '../report/figures.ts';
import type { FailoverOptions } from '../rows/fail-over.ts';
import { handover } from '../rows/hand-over.ts';
import { openRedisGround } from './environment.ts';

/** A round trip takes a third of a millisecond. As with Nerio, four processes take longer. */
const schedulingMs = 4;

/** Runs the benchmark. */
export async function redisHandover(options: FailoverOptions): Promise<Report> {
  await using environment = await openRedisGround();
  const trips = {
    name: 'an increment of a key; Redis of this host',
    schedulingMs,
    measure: environment.trips,
  };
  const ours = { ...environment.ours, name: 'redis-handover' };
  return await handover(trips, ours, [environment.key, environment.redlock], options);
}
