// Measures how long a group on one host has no leader after a crash. Three member processes share a
// directory. The benchmark kills the leader with SIGKILL at a random moment between two renewals.
// The time ends when another process calls its subscriber with `leading`. Both instants are read
// from the host's monotonic clock. Then a new member replaces the killed one.
//
// The baseline is T as configured. The limit for the p99 of the fail-overs is 1.05 T plus the p99
// of the watch latency, which the benchmark measures between the runs, from one member process to
// another.
import { setTimeout as pause } from 'node:timers/promises';
import { median, quantile } from '../measure/statistics.ts';
import { take } from '../measure/take.ts';
import { crash, type Election, successions } from '../process/successions.ts';
import { tempDirectory } from '../process/temp-directory.ts';
import type { Report } from '../report/figures.ts';
import { halfBelowThreshold, outageFigures } from '../report/outages.ts';
import { bareWrites } from './bare-write.ts';
import { type Member, startMember } from './member.ts';

/** The number of runs, and T. */
export interface FileFailoverOptions {
  readonly runs: number;
  readonly thresholdMs: number;
}

/**
 * Bare writes before each run, to measure the watch latency. All runs together make enough of them
 * for a p99.
 */
const writesPerRun = 4;

/** Runs the benchmark. */
export async function fileFailover({ runs, thresholdMs }: FileFailoverOptions): Promise<Report> {
  await using home = await tempDirectory();
  const watches: number[] = [];
  let started = 0;
  const election: Election<Member> = {
    members: 3,
    start() {
      started += 1;
      return startMember({ directory: home.path, member: `m${started}`, thresholdMs });
    },
    async rest(others) {
      watches.push(...(await watchLatencies(home.path, others)));
      await pause(thresholdMs * (1 + Math.random() / 3));
    },
    remove: crash,
  };
  return report(await take(successions(election), runs), watches, thresholdMs);
}

async function watchLatencies(
  home: string,
  [writer, watcher]: readonly Member[],
): Promise<readonly number[]> {
  if (writer === undefined || watcher === undefined)
    throw new RangeError('the watch latency needs two members');
  const write = await bareWrites(home, writer, watcher);
  const latencies: number[] = [];
  for (let time = 0; time < writesPerRun; time += 1) latencies.push((await write()).watchMs);
  return latencies;
}

function report(
  outages: readonly number[],
  watches: readonly number[],
  thresholdMs: number,
): Report {
  const watchMs = quantile(watches, 0.99);
  const figures = outageFigures(
    'file-failover',
    outages,
    thresholdMs,
    1.05 + watchMs / thresholdMs,
  );
  const notes = [
    halfBelowThreshold(figures),
    `watch latency in this run: p50 ${median(watches).toFixed(2)} ms, p99 ${watchMs.toFixed(2)} ms; limit: 1.05 T + its p99`,
  ];
  return { figures, against: 'T', notes };
}
