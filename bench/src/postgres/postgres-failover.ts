// Measures how long a group on Postgres has no leader after a crash. Of three member processes, the
// benchmark kills the leader with SIGKILL at a random moment between two renewals. The time ends
// when another process calls its subscriber with `leading`. Both instants are read from the host's
// monotonic clock. Then a new member replaces the killed one.
//
// The baseline is T as configured. Members read every T/4, so the limit is 1.05 T plus T/4. In the
// same run, three loops over an advisory lock are killed in the same way. The server notices at
// once that the connection of a killed process has ended, and then the lock is free. This does not
// hold for a host that loses power or its network: the server waits for TCP, by default for hours.
import { setTimeout as pause } from 'node:timers/promises';
import { median, quantile } from '../measure/statistics.ts';
import { take } from '../measure/take.ts';
import { crash, successions } from '../process/successions.ts';
import type { Report } from '../report/figures.ts';
import { halfBelowThreshold, outageFigures } from '../report/outages.ts';
import { type Environment, openEnvironment } from './environment.ts';

/** The number of runs, and T. */
export interface PostgresFailoverOptions {
  readonly runs: number;
  readonly thresholdMs: number;
}

/** The target beside the interval of polls, in multiples of T. */
const leaseThresholds = 1.05;
/** The polling interval of members, in multiples of T. */
const pollThresholds = 0.25;

/** Runs the benchmark. */
export async function postgresFailover(options: PostgresFailoverOptions): Promise<Report> {
  await using environment = await openEnvironment();
  const [ours, advisory] = await Promise.all([
    outages(environment, 'postgres', options),
    outages(environment, 'advisory', options),
  ]);
  const { thresholdMs } = options;
  const limit = leaseThresholds + pollThresholds;
  const figures = outageFigures('postgres-failover', ours, thresholdMs, limit);
  return {
    figures,
    against: 'T; Postgres of this host',
    notes: [halfBelowThreshold(figures), `limit: ${leaseThresholds} T and a poll of T/4`],
    peers: [
      {
        name: 'advisory lock, tried every T/4; the connection of a killed process ends at once',
        unit: 'ms',
        runs: advisory.length,
        p50: median(advisory),
        p99: quantile(advisory, 0.99),
      },
    ],
  };
}

function outages(
  environment: Environment,
  kind: 'postgres' | 'advisory',
  { runs, thresholdMs }: PostgresFailoverOptions,
): Promise<readonly number[]> {
  let born = 0;
  return take(
    successions({
      members: 3,
      start() {
        born += 1;
        const member = `${kind}-${born}`;
        return environment.start(kind, { group: 'failover', member, thresholdMs, partitions: 1 });
      },
      rest: () => pause(thresholdMs * (1 + Math.random() / 3)),
      remove: crash,
    }),
    runs,
  );
}
