// How long an orderly hand-over takes, on a table: of two member processes the leader is told to resign, without work to drain, and the
// time runs from the call of `resign()` until the other process calls its subscriber with `leading`. One that has resigned leaves the
// partition alone for 2 T (L9): so long is waited before it goes back. Members wake one another over a stream whose shard answers five
// readings a second, all of them together. Beside it the same without a stream, where the successor looks every T/4.
//
// The baseline is one second, for the wake-up that comes last.
import { setTimeout as pause } from 'node:timers/promises';
import { median, quantile } from '../measure/statistics.ts';
import { abstainsThresholds, type Exchange, handOvers } from '../process/hand-overs.ts';
import type { Report } from '../report/figures.ts';
import { type Ground, openGround } from './ground.ts';
import type { Member } from './member.ts';

/** How often, and under which T. */
export interface KinesisHandoverOptions {
  readonly runs: number;
  readonly thresholdMs: number;
}

/** What the slowest hand-over behind a wake-up is to stay within. Milliseconds. */
const secondMs = 1000;
/** How often members look at the table. In T. */
const pollThresholds = 0.25;

/** Runs it. */
export async function kinesisHandover(options: KinesisHandoverOptions): Promise<Report> {
  await using ground = await openGround();
  const [woken, alone] = await Promise.all([measured(ground, options, true), measured(ground, options, false)]);
  return report(ground, options, woken, { ms: alone, trips: await ground.trips.take(options.runs) });
}

function measured(ground: Ground, { runs, thresholdMs }: KinesisHandoverOptions, wakes: boolean): Promise<readonly number[]> {
  const group = wakes ? 'woken' : 'alone';
  const exchange: Exchange<Member> = {
    start: (member) => ground.start({ group, member: `${group}-${member}`, thresholdMs, partitions: 1, wakes }),
    // A random part of a period more, or everybody would resign in step with their readings.
    rest: () => pause((abstainsThresholds + Math.random()) * thresholdMs),
  };
  return handOvers(exchange, runs);
}

interface Unwoken {
  readonly ms: readonly number[];
  readonly trips: readonly number[];
}

function report({ name }: Ground, { thresholdMs }: KinesisHandoverOptions, woken: readonly number[], alone: Unwoken): Report {
  const [p50, p99] = [median(woken), quantile(woken, 0.99)];
  const worst = quantile(alone.ms, 0.99);
  const tripMs = median(alone.trips);
  const promised = pollThresholds * thresholdMs + 2 * tripMs;
  const figures = { name: 'kinesis-handover', unit: 'ms', runs: woken.length, p50, p99, baseline: secondMs } as const;
  return {
    figures: { ...figures, ratio: p99 / secondMs, limit: 1, better: 'lower' },
    against: `one second; ${name}; T ${thresholdMs} ms`,
    notes: [
      `without a stream: p99 ${worst.toFixed(1)} ms, and T/4 and two requests are ${promised.toFixed(1)} ms; a request is ${tripMs.toFixed(2)} ms`,
    ],
    peers: [{ name: 'without a stream', unit: 'ms', runs: alone.ms.length, p50: median(alone.ms), p99: worst }],
  };
}
