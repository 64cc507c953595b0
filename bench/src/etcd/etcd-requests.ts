// Counts the requests of idle groups at the server, by its metrics.
import { type IdleRequestsOptions, idleRequests } from '../measure/idle-requests.ts';
import type { Report } from '../report/figures.ts';
import { openGround } from './ground.ts';

/** Runs the benchmark. */
export async function etcdRequests(options: IdleRequestsOptions): Promise<Report> {
  await using ground = await openGround();
  return await idleRequests(
    {
      name: 'etcd-requests',
      words: { reads: 'reads', writes: 'transactions' },
      start: (input) => ground.start(input),
      count: () => ground.requests(),
    },
    options,
  );
}
