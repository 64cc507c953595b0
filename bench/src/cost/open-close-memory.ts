// Measures the memory that remains after opening and closing a source. A child process with
// --expose-gc opens and closes thousands of memory sources, and collects garbage and reads the heap
// twenty times meanwhile. The slope of the heap over the number of opens is the memory that one
// source leaves; a simple difference would include one-time allocations of the compiler. Each run
// uses a new process. The benchmark also reports resources that keep the event loop alive
// afterwards and did not before.

import { type Message, startChild } from '@leadership/tools/processes';
import { median, quantile, slope } from '../measure/statistics.ts';
import type { Report } from '../report/figures.ts';

/** The limit per open and close, in KB. */
const budgetKb = 1;

/** The message of the child process. */
export interface Measured extends Message {
  readonly kind: 'measured';
  readonly points: readonly (readonly [opens: number, heapBytes: number])[];
  readonly left: readonly string[];
}

/** The number of runs, and the number of opens per run. */
export interface OpenCloseOptions {
  readonly runs: number;
  readonly opens: number;
}

/** Runs the benchmark. */
export async function openCloseMemory({ runs, opens }: OpenCloseOptions): Promise<Report> {
  const measured: Measured[] = [];
  for (let run = 0; run < runs; run += 1) measured.push(await measure(opens));
  const kept = measured.map(({ points }) => slope(points) / 1024);
  const left = measured.flatMap((one) => one.left);
  const p50 = median(kept);
  const figures = {
    name: 'open-close-memory',
    unit: 'KB',
    runs,
    p50,
    p99: quantile(kept, 0.99),
    baseline: budgetKb,
  } as const;
  const notes = [
    `${opens} opens a run; handles and timers left: ${left.length === 0 ? 'none' : left.join(', ')}`,
  ];
  return {
    figures: { ...figures, ratio: p50 / budgetKb, limit: 1, better: 'lower' },
    against: 'the target',
    notes,
  };
}

async function measure(opens: number): Promise<Measured> {
  const program = new URL('../programs/open-close.js', import.meta.url);
  await using child = startChild<Measured>(program, {
    input: { opens },
    execArgv: ['--expose-gc'],
  });
  return await child.next('measured');
}
