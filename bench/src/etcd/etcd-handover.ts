// Measures an orderly hand-over on etcd, beside the election of etcd itself (client v3).
// The round trip is a durable write of one key, over a separate connection.
import type { Report } from '../report/figures.ts';
import type { FailoverOptions } from '../rows/fail-over.ts';
import { handover } from '../rows/hand-over.ts';
import { openEnvironment } from './environment.ts';

/** Runs the benchmark. */
export async function etcdHandover(options: FailoverOptions): Promise<Report> {
  await using environment = await openEnvironment();
  const trips = {
    name: 'a durable write of one key; etcd of this host, one server',
    measure: environment.trips,
  };
  const ours = { ...environment.ours, name: 'etcd-handover' };
  return await handover(trips, ours, environment.elections, options);
}
