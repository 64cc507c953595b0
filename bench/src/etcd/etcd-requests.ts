// Counts the requests of idle groups at the server, by its metrics.
import { type IdleRequestsOptions, idleRequests } from '../measure/idle-requests.ts';
import type { Report } from '../report/figures.ts';
import { openEnvironment } from './environment.ts';

/** Runs the benchmark. */
export async function etcdRequests(options: IdleRequestsOptions): Promise<Report> {
  await using environment = await openEnvironment();
  return await idleRequests(
    {
      name: 'etcd-requests',
      words: { reads: 'reads', writes: 'transactions' },
      start: (input) => environment.ours.start(input),
      count: () => environment.requests(),
    },
    options,
  );
}
