// Measures the cost of a renewal on the file backend, and whether it depends on libuv's thread
// pool, which the whole application shares. One member leads eight partitions. Each run contains
// three conditions in turn: the pool is idle, its four threads are blocked, or 24 passwords are
// hashed concurrently. The benchmark measures the duration of each renewal, from its first call to
// the last reply of the disk, and the active time of the event loop per renewal. The active time
// includes the member's polls of its files.
//
// The baseline is a renewal while the pool is idle. A blocked pool should make no difference except
// noise. Hashing also occupies the CPU cores, so that condition is reported as a remark only.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Child, startChild } from '@leadership/tools/processes';
import { median, quantile } from '../measure/statistics.ts';
import { tempDirectory } from '../measure/temp-directory.ts';
import { costOf } from '../report/costs.ts';
import type { Report } from '../report/figures.ts';
import type { PoolCondition, RenewalCommand, RenewalInput, RenewalMessage } from './renewal.ts';

/** The number of runs, T, and the duration of each condition. */
export interface FileRenewalOptions {
  readonly runs: number;
  readonly thresholdMs: number;
  /** The duration of a condition within a run, in milliseconds. */
  readonly windowMs: number;
}

type Measured = Extract<RenewalMessage, { readonly kind: 'measured' }>;

const conditions: readonly PoolCondition[] = ['idle', 'blocked', 'hashing'];

/** Runs the benchmark. */
export async function fileRenewal({
  runs,
  thresholdMs,
  windowMs,
}: FileRenewalOptions): Promise<Report> {
  await using home = await tempDirectory();
  const input: RenewalInput = { directory: join(home.path, 'store'), thresholdMs };
  await using child = startChild<RenewalMessage>(
    new URL('../programs/renewal.js', import.meta.url),
    {
      input,
    },
  );
  await child.next('prepared');
  await pause(windowMs);
  const measured: Record<PoolCondition, Measured[]> = { idle: [], blocked: [], hashing: [] };
  for (let run = 0; run < runs; run += 1) {
    const turn = run % conditions.length;
    for (const condition of [...conditions.slice(turn), ...conditions.slice(0, turn)])
      measured[condition].push(await measure(child, { condition, windowMs }));
  }
  return report(measured, thresholdMs);
}

async function measure(child: Child<RenewalMessage>, command: RenewalCommand): Promise<Measured> {
  const measured = child.next('measured');
  child.send(command);
  return measured;
}

function report(
  measured: Readonly<Record<PoolCondition, readonly Measured[]>>,
  thresholdMs: number,
): Report {
  const timesIn = (condition: PoolCondition): readonly number[] =>
    measured[condition].flatMap(({ renewalsMs }) => renewalsMs);
  const [ours, baseline] = [timesIn('blocked'), timesIn('idle')];
  const pairedRatio = median(
    measured.blocked.map(
      ({ renewalsMs }, run) => median(renewalsMs) / median(measured.idle[run]?.renewalsMs ?? []),
    ),
  );
  return {
    figures: costOf('file-renewal', 'ms', 1.5, { ours, baseline, pairedRatio }),
    against:
      'a renewal while the thread pool is idle; the benchmark measures renewals while its four threads are blocked',
    notes: [
      `median of the rounds' own ratios: ${pairedRatio.toFixed(3)}; T ${thresholdMs} ms, 8 partitions`,
      ...conditions.map((condition) => remark(condition, measured[condition])),
    ],
  };
}

function remark(condition: PoolCondition, measured: readonly Measured[]): string {
  const times = measured.flatMap(({ renewalsMs }) => renewalsMs);
  const loopMs = measured.reduce((sum, one) => sum + one.loopMs, 0) / times.length;
  const lost = measured.reduce((sum, one) => sum + one.lost, 0);
  const [p50, p99] = [median(times), quantile(times, 0.99)];
  return `${condition}: ${times.length} renewals, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms; event loop ${loopMs.toFixed(3)} ms per renewal; ${lost} leases lost`;
}
