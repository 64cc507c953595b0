// How long nobody leads after a crash, on a table: three member processes, the leader is killed with SIGKILL at a random moment between
// two of its renewals, and the time runs until another process calls its subscriber with `leading` (both by the host's monotonic
// clock). Then a new member takes the dead one's place. No stream: nobody wakes anyone who has died.
//
// The baseline is T as configured. Members look at the table every T/4, so as much more may pass, one request for the claim, and 50 ms
// for a machine that does other things too. The request is the median of those measured between the runs.
import { setTimeout as pause } from 'node:timers/promises';
import { median, quantile } from '../measure/statistics.ts';
import { take } from '../measure/take.ts';
import { crash, successions } from '../process/successions.ts';
import type { Report } from '../report/figures.ts';
import { halfBelowThreshold, outageFigures } from '../report/outages.ts';
import { type Ground, openGround } from './ground.ts';

/** How often, and under which T. */
export interface KinesisFailoverOptions {
  readonly runs: number;
  readonly thresholdMs: number;
}

/** Requests before each run. */
const tripsPerRun = 4;
/** How often members look at the table. In T. */
const pollThresholds = 0.25;
/** What may be lost to a busy machine. Milliseconds. */
const slackMs = 50;

/** Runs it. */
export async function kinesisFailover({ runs, thresholdMs }: KinesisFailoverOptions): Promise<Report> {
  await using ground = await openGround();
  const trips: number[] = [];
  let born = 0;
  const ms = await take(
    successions({
      members: 3,
      start() {
        born += 1;
        return ground.start({ group: 'failover', member: `m${born}`, thresholdMs, partitions: 1, wakes: false });
      },
      async rest() {
        trips.push(...(await ground.trips.take(tripsPerRun)));
        await pause(thresholdMs * (1 + Math.random() / 3));
      },
      remove: crash,
    }),
    runs,
  );
  return report(ground, { ms, trips }, thresholdMs);
}

interface Outages {
  readonly ms: readonly number[];
  readonly trips: readonly number[];
}

function report({ name }: Ground, { ms, trips }: Outages, thresholdMs: number): Report {
  const tripMs = median(trips);
  const figures = outageFigures('kinesis-failover', ms, thresholdMs, 1 + pollThresholds + (tripMs + slackMs) / thresholdMs);
  return {
    figures,
    against: `T; ${name}`,
    notes: [
      halfBelowThreshold(figures),
      `a request in this run: p50 ${tripMs.toFixed(2)} ms, p99 ${quantile(trips, 0.99).toFixed(2)} ms; to reach is 1.25 T + its p50 + ${slackMs} ms`,
    ],
  };
}
