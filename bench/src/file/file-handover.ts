// How long an orderly hand-over takes, on one host: of two member processes that share a directory the leader is told to
// resign, without work to drain, and the time runs from the call of `resign()` until the other process calls its subscriber
// with `leading`. One that has resigned leaves the partition alone for 2 T (L9): so long is waited before it goes back.
//
// The baseline is one write and one watch notification between the very same processes on the same disk: before each
// hand-over one of them writes a file as durably as a version is written, and the other notices it.
import { setTimeout as pause } from 'node:timers/promises';
import { msBetween } from '../measure/ms-between.ts';
import { median, quantile } from '../measure/statistics.ts';
import { tempDirectory } from '../process/temp-directory.ts';
import type { Report } from '../report/figures.ts';
import { bareWrites } from './bare-write.ts';
import { type Member, startMember } from './member.ts';

/** How often, and under which T. */
export interface FileHandoverOptions {
  readonly runs: number;
  readonly thresholdMs: number;
}

/** "Milliseconds": fewer than these. */
const millisecondsMax = 20;
/** How long one that has resigned abstains, and a little more for its timers. In T. */
const abstainsThresholds = 2.2;

/** Runs it. */
export async function fileHandover({ runs, thresholdMs }: FileHandoverOptions): Promise<Report> {
  await using home = await tempDirectory();
  await using a = startMember({ directory: home.path, member: 'a', thresholdMs });
  await a.next('leading');
  await using b = startMember({ directory: home.path, member: 'b', thresholdMs });
  await b.next('ready');
  const write = await bareWrites(home.path, a, b);
  const handovers: number[] = [];
  const bare: number[] = [];
  for (let run = 0, leader = a, other = b; run < runs; run += 1, [leader, other] = [other, leader]) {
    await pause(abstainsThresholds * thresholdMs);
    bare.push((await write()).totalMs);
    handovers.push(await handOver(leader, other));
  }
  return report(handovers, bare);
}

async function handOver(leader: Member, other: Member): Promise<number> {
  const both = Promise.all([leader.next('resigning'), other.next('leading')]);
  leader.tell({ kind: 'resign' });
  const [resigning, leading] = await both;
  return msBetween(resigning.atNs, leading.atNs);
}

function report(handovers: readonly number[], bare: readonly number[]): Report {
  const [p50, p99, baseline] = [median(handovers), quantile(handovers, 0.99), median(bare)];
  const figures = { name: 'file-handover', unit: 'ms', runs: handovers.length, p50, p99, baseline, ratio: p99 / baseline } as const;
  const notes = [
    `to reach is ${millisecondsMax} ms: milliseconds, whatever T`,
    `p50 / baseline ${(p50 / baseline).toFixed(2)}; the slowest write and notification ${quantile(bare, 1).toFixed(2)} ms`,
  ];
  return {
    figures: { ...figures, limit: millisecondsMax / baseline, better: 'lower' },
    against: 'one write and one watch notification',
    notes,
  };
}
