// Measures how long a group on a DynamoDB table has no leader after a crash. Of three member
// processes, the benchmark kills the leader with SIGKILL at a random moment between two renewals.
// The time ends when another process calls its subscriber with `leading`. Both instants are read
// from the host's monotonic clock. Then a new member replaces the killed one. There is no stream,
// because a crashed member sends no notification.
//
// The baseline is T as configured. Members poll the table every T/4, so the limit is 1.25 T, plus
// one request for the claim, plus 50 ms for the delays of a busy machine. The request is the median
// of the requests measured between the runs.
import { setTimeout as pause } from 'node:timers/promises';
import { median, quantile } from '../measure/statistics.ts';
import { take } from '../measure/take.ts';
import { crash, successions } from '../process/successions.ts';
import type { Report } from '../report/figures.ts';
import { halfBelowThreshold, outageFigures } from '../report/outages.ts';
import { type Environment, openEnvironment } from './environment.ts';

/** The number of runs, and T. */
export interface KinesisFailoverOptions {
  readonly runs: number;
  readonly thresholdMs: number;
}

/** The number of bare requests before each run. */
const tripsPerRun = 4;
/** The polling interval of members, in multiples of T. */
const pollThresholds = 0.25;
/** The allowance for the delays of a busy machine, in milliseconds. */
const slackMs = 50;

/** Runs the benchmark. */
export async function kinesisFailover({
  runs,
  thresholdMs,
}: KinesisFailoverOptions): Promise<Report> {
  await using environment = await openEnvironment();
  const trips: number[] = [];
  let started = 0;
  const ms = await take(
    successions({
      members: 3,
      start() {
        started += 1;
        return environment.start({
          group: 'failover',
          member: `m${started}`,
          thresholdMs,
          partitions: 1,
          wakes: false,
        });
      },
      async rest() {
        trips.push(...(await environment.trips.take(tripsPerRun)));
        await pause(thresholdMs * (1 + Math.random() / 3));
      },
      remove: crash,
    }),
    runs,
  );
  return report(environment, { ms, trips }, thresholdMs);
}

interface Outages {
  readonly ms: readonly number[];
  readonly trips: readonly number[];
}

function report({ name }: Environment, { ms, trips }: Outages, thresholdMs: number): Report {
  const tripMs = median(trips);
  const figures = outageFigures(
    'kinesis-failover',
    ms,
    thresholdMs,
    1 + pollThresholds + (tripMs + slackMs) / thresholdMs,
  );
  return {
    figures,
    against: `T; ${name}`,
    notes: [
      halfBelowThreshold(figures),
      `a request in this run: p50 ${tripMs.toFixed(2)} ms, p99 ${quantile(trips, 0.99).toFixed(2)} ms; limit: 1.25 T + its p50 + ${slackMs} ms`,
    ],
  };
}
