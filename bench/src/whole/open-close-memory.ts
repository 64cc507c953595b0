// What an opened and closed source leaves behind: child processes with --expose-gc open and close memory sources by the
// thousand, collect, and read the heap twenty times on the way; the slope of the heap over the number of opens is what one
// of them keeps (a mere difference would count what the compiler allocates once). Each run is a process of its own. What keeps
// the event loop alive afterwards and did not before is counted too.
import { median, quantile, slope } from '../measure/statistics.ts';
import { startChild, type Told } from '../process/child.ts';
import type { Report } from '../report/figures.ts';

/** What may be kept per open and close. KB. */
const budgetKb = 1;

/** What the child says. */
export interface Measured extends Told {
  readonly kind: 'measured';
  readonly points: readonly (readonly [opens: number, heapBytes: number])[];
  readonly left: readonly string[];
}

/** How often, and how many opens in each run. */
export interface OpenCloseOptions {
  readonly runs: number;
  readonly opens: number;
}

/** Runs it. */
export async function openCloseMemory({ runs, opens }: OpenCloseOptions): Promise<Report> {
  const measured: Measured[] = [];
  for (let run = 0; run < runs; run += 1) measured.push(await measure(opens));
  const kept = measured.map(({ points }) => slope(points) / 1024);
  const left = measured.flatMap((one) => one.left);
  const p50 = median(kept);
  const figures = { name: 'open-close-memory', unit: 'KB', runs, p50, p99: quantile(kept, 0.99), baseline: budgetKb } as const;
  const notes = [`${opens} opens a run; handles and timers left: ${left.length === 0 ? 'none' : left.join(', ')}`];
  return { figures: { ...figures, ratio: p50 / budgetKb, limit: 1, better: 'lower' }, against: 'the number to reach', notes };
}

async function measure(opens: number): Promise<Measured> {
  const program = new URL('../programs/open-close.js', import.meta.url);
  await using child = startChild<Measured>(program, { input: { opens }, execArgv: ['--expose-gc'] });
  return await child.next('measured');
}
