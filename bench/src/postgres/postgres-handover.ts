// Measures an orderly hand-over on Postgres, beside a loop over an advisory lock.
// The round trip is a durable update of one row, over a separate connection.
import type { Report } from '../report/figures.ts';
import type { FailoverOptions } from '../rows/fail-over.ts';
import { handover } from '../rows/hand-over.ts';
import { openEnvironment } from './environment.ts';

/** Runs the benchmark. */
export async function postgresHandover(options: FailoverOptions): Promise<Report> {
  await using environment = await openEnvironment();
  const trips = {
    name: 'a durable update of one row; Postgres of this host',
    measure: environment.trips,
  };
  const ours = { ...environment.ours, name: 'postgres-handover' };
  return await handover(trips, ours, [environment.advisory], options);
}
