// Measures an orderly hand-over on a DynamoDB table. Of two member processes, the leader resigns
// without work to drain. The time runs from the call of `resign()` until the other process calls
// its subscriber with `leading`. A member that has resigned does not claim the partition for 2 T
// (L9), so the benchmark waits that long between hand-overs. Members notify each other over a
// stream whose shard serves five reads a second, for all members together. At the same time, the
// benchmark measures hand-overs without a stream, where the successor polls every T/4.
//
// The baseline is one second: the longest delay of a notification.
import { setTimeout as pause } from 'node:timers/promises';
import { median, quantile } from '../measure/statistics.ts';
import { type Exchange, handOvers, restThresholds } from '../process/hand-overs.ts';
import { comparisonOf } from '../report/comparison.ts';
import type { Report } from '../report/figures.ts';
import { type Environment, openEnvironment } from './environment.ts';
import type { Member } from './member.ts';

/** The number of runs, and T. */
export interface KinesisHandoverOptions {
  readonly runs: number;
  readonly thresholdMs: number;
}

/** The limit for the p99 of hand-overs with notifications, in milliseconds. */
const secondMs = 1000;
/** The polling interval of members, in multiples of T. */
const pollThresholds = 0.25;

/** Runs the benchmark. */
export async function kinesisHandover(options: KinesisHandoverOptions): Promise<Report> {
  await using environment = await openEnvironment();
  const [woken, alone] = await Promise.all([
    measured(environment, options, true),
    measured(environment, options, false),
  ]);
  return report(environment, options, woken, {
    ms: alone,
    trips: await environment.trips.take(options.runs),
  });
}

function measured(
  environment: Environment,
  { runs, thresholdMs }: KinesisHandoverOptions,
  wakes: boolean,
): Promise<readonly number[]> {
  const group = wakes ? 'woken' : 'alone';
  const exchange: Exchange<Member> = {
    start: (member) =>
      environment.start({ group, member: `${group}-${member}`, thresholdMs, partitions: 1, wakes }),
    // A random delay, because otherwise members would always resign at the same point of their
    // polling interval.
    rest: () => pause((restThresholds + Math.random()) * thresholdMs),
  };
  return handOvers(exchange, runs);
}

interface Unwoken {
  readonly ms: readonly number[];
  readonly trips: readonly number[];
}

function report(
  { name }: Environment,
  { thresholdMs }: KinesisHandoverOptions,
  woken: readonly number[],
  alone: Unwoken,
): Report {
  const [p50, p99] = [median(woken), quantile(woken, 0.99)];
  const tripMs = median(alone.trips);
  const promised = pollThresholds * thresholdMs + 2 * tripMs;
  const figures = {
    name: 'kinesis-handover',
    unit: 'ms',
    runs: woken.length,
    p50,
    p99,
    baseline: secondMs,
  } as const;
  return {
    figures: { ...figures, ratio: p99 / secondMs, limit: 1, better: 'lower' },
    against: `one second; ${name}; T ${thresholdMs} ms`,
    notes: [
      `without a stream, a hand-over should take at most T/4 plus two requests: ${promised.toFixed(1)} ms; one request: ${tripMs.toFixed(2)} ms`,
    ],
    peers: [comparisonOf('without a stream', 'ms', alone.ms)],
  };
}
