// Measures the processor time to import core with its memory backend. The backend loads the engine,
// which the entry point alone loads only when a source is opened. The baseline is the import of
// rxjs, the only dependency, in a process of its own; ours includes it. The order within the pairs
// alternates. The first pair fills the page cache and is discarded. This module imports nothing that
// loads one of the measured modules.
import { inOwnProcess } from '../measure/own-process.ts';
import { median } from '../measure/statistics.ts';
import { costOf } from '../report/costs.ts';
import type { Report } from '../report/figures.ts';

/** The time of an import, in milliseconds. */
interface Imported {
  readonly ms: number;
  /** The processor time of all threads. */
  readonly cpuMs: number;
}

const peer = ['rxjs'] as const;
const all = ['@leadership/core', '@leadership/core/memory'] as const;
const imported = inOwnProcess(import.meta.url, importAll);

/** Runs the benchmark. */
export async function importCost({ runs }: { readonly runs: number }): Promise<Report> {
  const pairs: { readonly ours: Imported; readonly baseline: Imported }[] = [];
  for (let run = -1; run < runs; run += 1) {
    const pair =
      run % 2 === 0
        ? { ours: await imported(all), baseline: await imported(peer) }
        : { baseline: await imported(peer), ours: await imported(all) };
    if (run >= 0) pairs.push(pair);
  }
  const ours = pairs.map((pair) => pair.ours);
  const baseline = pairs.map((pair) => pair.baseline);
  const cpuMs = (of: readonly Imported[]) => of.map((one) => one.cpuMs);
  const pairedRatio = median(pairs.map((pair) => pair.ours.cpuMs / pair.baseline.cpuMs));
  return {
    figures: costOf('import-cost', 'ms', 2, { ours: cpuMs(ours), baseline: cpuMs(baseline) }),
    against: 'importing rxjs alone',
    notes: [
      `median of the pairs' own ratios: ${pairedRatio.toFixed(3)}`,
      `by the clock ${wallMs(ours)} ms, rxjs alone ${wallMs(baseline)} ms`,
    ],
  };
}

function wallMs(of: readonly Imported[]): string {
  return median(of.map(({ ms }) => ms)).toFixed(1);
}

async function importAll(specifiers: readonly string[]): Promise<Imported> {
  const began = performance.now();
  const before = process.cpuUsage();
  for (const specifier of specifiers) await import(specifier);
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - began, cpuMs: (user + system) / 1000 };
}
