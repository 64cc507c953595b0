// Counts the requests of idle groups at the server, by `pg_stat_statements`.
import { type IdleRequestsOptions, idleRequests } from '../measure/idle-requests.ts';
import type { Report } from '../report/figures.ts';
import { openEnvironment } from './environment.ts';

/** Runs the benchmark. */
export async function postgresRequests(options: IdleRequestsOptions): Promise<Report> {
  await using environment = await openEnvironment();
  return await idleRequests(
    {
      name: 'postgres-requests',
      words: { reads: 'queries', writes: 'changes' },
      start: (input) => environment.ours.start(input),
      count: () => environment.statements(),
    },
    options,
  );
}
