// Measures the time to import core in addition to its peer dependency. One child process imports
// rxjs, then `@leadership/core` and its memory backend. The backend loads the engine, which the
// entry point alone loads only when a source is opened. A second child process imports rxjs alone.
// The difference between the two is the cost. The order within the pairs alternates. The first pair
// fills the page cache and is discarded.

import { type Message, startChild } from '@leadership/tools/processes';
import { median, quantile } from '../measure/statistics.ts';
import type { Report } from '../report/figures.ts';

/** The limit, in milliseconds. */
const budgetMs = 30;

/** The message of the child process. */
export interface Imported extends Message {
  readonly kind: 'imported';
  readonly ms: number;
}

const peer = ['rxjs'] as const;
const both = [...peer, '@leadership/core', '@leadership/core/memory'] as const;

/** Runs the benchmark. */
export async function importCost({ runs }: { readonly runs: number }): Promise<Report> {
  const pairs: { readonly both: number; readonly peer: number }[] = [];
  for (let run = -1; run < runs; run += 1) {
    const pair =
      run % 2 === 0
        ? { both: await importMs(both), peer: await importMs(peer) }
        : { peer: await importMs(peer), both: await importMs(both) };
    if (run >= 0) pairs.push(pair);
  }
  const costs = pairs.map((pair) => pair.both - pair.peer);
  const p50 = median(costs);
  const figures = {
    name: 'import-cost',
    unit: 'ms',
    runs,
    p50,
    p99: quantile(costs, 0.99),
    baseline: budgetMs,
  } as const;
  const notes = [`rxjs alone takes ${median(pairs.map((pair) => pair.peer)).toFixed(1)} ms`];
  return {
    figures: { ...figures, ratio: p50 / budgetMs, limit: 1, better: 'lower' },
    against: 'the target',
    notes,
  };
}

async function importMs(specifiers: readonly string[]): Promise<number> {
  await using child = startChild<Imported>(new URL('../programs/import.js', import.meta.url), {
    input: { specifiers },
  });
  return (await child.next('imported')).ms;
}
