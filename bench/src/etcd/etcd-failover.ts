// Measures fail-over on etcd, beside the election of etcd itself (client v3).
import type { Report } from '../report/figures.ts';
import { type FailoverOptions, failover } from '../rows/fail-over.ts';
import { openEnvironment } from './environment.ts';

/** Runs the benchmark. */
export async function etcdFailover(options: FailoverOptions): Promise<Report> {
  await using environment = await openEnvironment();
  const ours = { ...environment.ours, name: 'etcd-failover' };
  return await failover('etcd of this host, one server', ours, environment.elections, options);
}
