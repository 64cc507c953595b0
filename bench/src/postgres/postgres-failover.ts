// Measures fail-over on Postgres, beside a loop over an advisory lock.
import type { Report } from '../report/figures.ts';
import { type FailoverOptions, failover } from '../rows/fail-over.ts';
import { openEnvironment } from './environment.ts';

/** Runs the benchmark. */
export async function postgresFailover(options: FailoverOptions): Promise<Report> {
  await using environment = await openEnvironment();
  const ours = { ...environment.ours, name: 'postgres-failover' };
  return await failover('Postgres of this host', ours, [environment.advisory], options);
}
