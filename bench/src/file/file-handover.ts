// Measures an orderly hand-over on one host. Two member processes share a directory. The leader
// resigns without work to drain. The time runs from the call of `resign()` until the other process
// calls its subscriber with `leading`. A member that has resigned does not claim the partition for
// 2 T (L9), so the benchmark waits that long between hand-overs.
//
// The baseline is one write and one watch notification between the same processes on the same disk.
// Before each hand-over, one process writes a file with the durability of a lease record, and the
// other process notices it.
import { setTimeout as pause } from 'node:timers/promises';
import { median, quantile } from '../measure/statistics.ts';
import { type Exchange, handOvers, restThresholds } from '../process/hand-overs.ts';
import { tempDirectory } from '../process/temp-directory.ts';
import type { Report } from '../report/figures.ts';
import { type BareWrite, bareWrites } from './bare-write.ts';
import { type Member, startMember } from './member.ts';

/** The number of runs, and T. */
export interface FileHandoverOptions {
  readonly runs: number;
  readonly thresholdMs: number;
}

/** The limit for the p99, in milliseconds. */
const millisecondsMax = 20;

/** Runs the benchmark. */
export async function fileHandover({ runs, thresholdMs }: FileHandoverOptions): Promise<Report> {
  await using home = await tempDirectory();
  const bare: number[] = [];
  let write: (() => Promise<BareWrite>) | undefined;
  const exchange: Exchange<Member> = {
    start: (member) => startMember({ directory: home.path, member, thresholdMs }),
    async rest(a, b) {
      await pause(restThresholds * thresholdMs);
      write ??= await bareWrites(home.path, a, b);
      bare.push((await write()).totalMs);
    },
  };
  return report(await handOvers(exchange, runs), bare);
}

function report(handovers: readonly number[], bare: readonly number[]): Report {
  const [p50, p99, baseline] = [median(handovers), quantile(handovers, 0.99), median(bare)];
  const figures = {
    name: 'file-handover',
    unit: 'ms',
    runs: handovers.length,
    p50,
    p99,
    baseline,
    ratio: p99 / baseline,
  } as const;
  const notes = [
    `limit: ${millisecondsMax} ms, for any T`,
    `p50 / baseline ${(p50 / baseline).toFixed(2)}; the slowest write and notification ${quantile(bare, 1).toFixed(2)} ms`,
  ];
  return {
    figures: { ...figures, limit: millisecondsMax / baseline, better: 'lower' },
    against: 'one write and one watch notification',
    notes,
  };
}
