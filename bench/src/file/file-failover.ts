// How long nobody leads after a crash, on one host: three member processes share a directory, the leader is killed with
// SIGKILL at a random moment between two of its renewals, and the time runs until another process calls its subscriber with
// `leading` (both by the host's monotonic clock). Then a new member takes the dead one's place.
//
// The baseline is T as configured: at most 1.05 T may pass, and what it takes to hear of a file. That watch latency is
// measured between the runs, from one member process to another; its p99 is what the p99 of the fail-overs may exceed 1.05 T by.
import { setTimeout as pause } from 'node:timers/promises';
import { median, quantile } from '../measure/statistics.ts';
import { take } from '../measure/take.ts';
import { crash, type Election, successions } from '../process/successions.ts';
import { tempDirectory } from '../process/temp-directory.ts';
import type { Report } from '../report/figures.ts';
import { halfBelowThreshold, outageFigures } from '../report/outages.ts';
import { bareWrites } from './bare-write.ts';
import { type Member, startMember } from './member.ts';

/** How often, and under which T. */
export interface FileFailoverOptions {
  readonly runs: number;
  readonly thresholdMs: number;
}

/** Bare writes before each run, for the watch latency: a hundred in a hundred seconds make a p99. */
const writesPerRun = 4;

/** Runs it. */
export async function fileFailover({ runs, thresholdMs }: FileFailoverOptions): Promise<Report> {
  await using home = await tempDirectory();
  const watches: number[] = [];
  let born = 0;
  const election: Election<Member> = {
    members: 3,
    start() {
      born += 1;
      return startMember({ directory: home.path, member: `m${born}`, thresholdMs });
    },
    async rest(others) {
      watches.push(...(await watchLatencies(home.path, others)));
      await pause(thresholdMs * (1 + Math.random() / 3));
    },
    remove: crash,
  };
  return report(await take(successions(election), runs), watches, thresholdMs);
}

async function watchLatencies(home: string, [writer, watcher]: readonly Member[]): Promise<readonly number[]> {
  if (writer === undefined || watcher === undefined) throw new RangeError('two members are needed to watch one another');
  const write = await bareWrites(home, writer, watcher);
  const latencies: number[] = [];
  for (let time = 0; time < writesPerRun; time += 1) latencies.push((await write()).watchMs);
  return latencies;
}

function report(outages: readonly number[], watches: readonly number[], thresholdMs: number): Report {
  const watchMs = quantile(watches, 0.99);
  const figures = outageFigures('file-failover', outages, thresholdMs, 1.05 + watchMs / thresholdMs);
  const notes = [
    halfBelowThreshold(figures),
    `watch latency in this run: p50 ${median(watches).toFixed(2)} ms, p99 ${watchMs.toFixed(2)} ms; to reach is 1.05 T + its p99`,
  ];
  return { figures, against: 'T', notes };
}
