// Measures how long a group on etcd has no leader after a crash. Of three member processes, the
// benchmark kills the leader with SIGKILL at a random moment between two renewals. The time ends
// when another process calls its subscriber with `leading`. Both instants are read from the host's
// monotonic clock. Then a new member replaces the killed one.
//
// The baseline is T as configured. Members read every T/4, so the limit is 1.05 T plus T/4.
import { setTimeout as pause } from 'node:timers/promises';
import { take } from '../measure/take.ts';
import { crash, successions } from '../process/successions.ts';
import type { Report } from '../report/figures.ts';
import { halfBelowThreshold, outageFigures } from '../report/outages.ts';
import { openEnvironment } from './environment.ts';

/** The number of runs, and T. */
export interface EtcdFailoverOptions {
  readonly runs: number;
  readonly thresholdMs: number;
}

/** The target beside the interval of polls, in multiples of T. */
const leaseThresholds = 1.05;
/** The polling interval of members, in multiples of T. */
const pollThresholds = 0.25;

/** Runs the benchmark. */
export async function etcdFailover({ runs, thresholdMs }: EtcdFailoverOptions): Promise<Report> {
  await using environment = await openEnvironment();
  let born = 0;
  const outages = await take(
    successions({
      members: 3,
      start() {
        born += 1;
        return environment.start({
          group: 'failover',
          member: `m${born}`,
          thresholdMs,
          partitions: 1,
        });
      },
      rest: () => pause(thresholdMs * (1 + Math.random() / 3)),
      remove: crash,
    }),
    runs,
  );
  const limit = leaseThresholds + pollThresholds;
  const figures = outageFigures('etcd-failover', outages, thresholdMs, limit);
  return {
    figures,
    against: 'T; etcd of this host, one server',
    notes: [halfBelowThreshold(figures), `limit: ${leaseThresholds} T and a poll of T/4`],
  };
}
