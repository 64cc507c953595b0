// Measures how long a group on a broker has no leader after a crash. Of three member processes, the
// benchmark kills the leader with SIGKILL at a random moment between two renewals. The time ends
// when another process calls its subscriber with `leading`. Both instants are read from the host's
// monotonic clock. Then a new member replaces the killed one. Crashes of goNELI leaders are
// measured at the same time, on the same broker.
//
// The baseline is T as configured. The limit is 1.05 T, plus one round trip for the claim, plus 50
// ms for the delays of a busy machine. The round trip is the median of the round trips measured
// between the runs.
import { setTimeout as pause } from 'node:timers/promises';
import { type GoneliResults, measureBesideGoneli } from '../goneli/measure-beside.ts';
import { goneliCrashes } from '../goneli/outages.ts';
import { median, quantile } from '../measure/statistics.ts';
import { take } from '../measure/take.ts';
import { crash, successions } from '../process/successions.ts';
import type { Report } from '../report/figures.ts';
import { halfBelowThreshold, outageFigures } from '../report/outages.ts';
import { openEcho } from './echo.ts';
import { type Environment, openEnvironment } from './environment.ts';
import { startMember } from './member.ts';

/** The number of runs, and T. */
export interface KafkaFailoverOptions {
  readonly runs: number;
  readonly thresholdMs: number;
}

/** The number of round trips before each run. */
const tripsPerRun = 4;
/** The allowance for the delays of a busy machine, in milliseconds. */
const slackMs = 50;

/** Runs the benchmark. */
export async function kafkaFailover(options: KafkaFailoverOptions): Promise<Report> {
  await using environment = await openEnvironment();
  const { ours, side } = await measureBesideGoneli(environment, goneliCrashes, () =>
    outages(environment, options),
  );
  return report(environment, ours, options.thresholdMs, side);
}

interface Outages {
  /** The time without a leader of each crash. */
  readonly ms: readonly number[];
  /** The round trips between the crashes. Milliseconds. */
  readonly trips: readonly number[];
}

async function outages(
  environment: Environment,
  { runs, thresholdMs }: KafkaFailoverOptions,
): Promise<Outages> {
  await using echo = await openEcho(environment);
  const topic = environment.named('failover');
  const trips: number[] = [];
  let started = 0;
  const ms = await take(
    successions({
      members: 3,
      start() {
        started += 1;
        return startMember({
          brokers: environment.brokers,
          topic,
          member: `m${started}`,
          thresholdMs,
          partitions: 1,
        });
      },
      async rest() {
        trips.push(...(await echo.roundTrips(tripsPerRun)));
        await pause(thresholdMs * (1 + Math.random() / 3));
      },
      remove: crash,
    }),
    runs,
  );
  return { ms, trips };
}

function report(
  environment: Environment,
  { ms, trips }: Outages,
  thresholdMs: number,
  { peers, notes }: GoneliResults,
): Report {
  const tripMs = median(trips);
  const figures = outageFigures(
    'kafka-failover',
    ms,
    thresholdMs,
    1.05 + (tripMs + slackMs) / thresholdMs,
  );
  return {
    figures,
    against: `T; ${environment.name}`,
    notes: [
      halfBelowThreshold(figures),
      `round trip in this run: p50 ${tripMs.toFixed(2)} ms, p99 ${quantile(trips, 0.99).toFixed(2)} ms; limit: 1.05 T + its p50 + ${slackMs} ms`,
      ...notes,
    ],
    peers,
  };
}
