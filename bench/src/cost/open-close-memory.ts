// Measures the memory that remains after opening and closing a source. A process opens and closes
// thousands of memory sources, and collects garbage and reads the heap twenty times meanwhile. The slope
// of the heap over the number of opens is the memory that one source leaves; a simple difference would
// include one-time allocations of the compiler. Each run uses a new process.
// The benchmark also reports resources that keep the event loop alive afterwards and did not before.
import { openLeadership } from '@leadership/core';
import { heldBytes, resourcesLeft } from '@leadership/testkit/internal';
import { inOwnProcess } from '../measure/own-process.ts';
import { slope } from '../measure/statistics.ts';
import { figuresOf, type Report } from '../report/figures.ts';

/** The limit per open and close, in KB. */
const budgetKb = 1;
/** The number of times that the heap is read. */
const samples = 20;

/** The number of runs, and the number of opens per run. */
export interface OpenCloseOptions {
  readonly runs: number;
  readonly opens: number;
}

interface Measured {
  readonly points: readonly (readonly [opens: number, heapBytes: number])[];
  readonly left: readonly string[];
}

const measure = inOwnProcess(import.meta.url, measureHeap);

/** Runs the benchmark. */
export async function openCloseMemory({ runs, opens }: OpenCloseOptions): Promise<Report> {
  const measured: Measured[] = [];
  for (let run = 0; run < runs; run += 1) measured.push(await measure({ opens }));
  const kept = measured.map(({ points }) => slope(points) / 1024);
  const left = measured.flatMap((one) => one.left).join(', ') || 'none';
  const target = { name: 'open-close-memory', unit: 'KB', baseline: budgetKb, limit: 1 } as const;
  return {
    figures: figuresOf(kept, { ...target, by: 'p50' }),
    against: 'the target',
    notes: [`${opens} opens a run; handles and timers left: ${left}`],
  };
}

async function measureHeap({ opens }: Pick<OpenCloseOptions, 'opens'>): Promise<Measured> {
  const batch = Math.ceil(opens / samples);
  // Warm up with a third of the measured number, until the compiler and the process hold everything
  // that they keep.
  await openAndClose(batch * Math.ceil(samples / 3));
  const before = process.getActiveResourcesInfo();
  const points: [number, number][] = [];
  for (let sample = 0; sample <= samples; sample += 1) {
    points.push([sample * batch, await heldBytes()]);
    await openAndClose(batch);
  }
  return { points, left: resourcesLeft(before) };
}

/**
 * Opens and closes sources. Every second source has its own group, because a group must not outlive
 * its members.
 */
async function openAndClose(times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const source = await openLeadership(
      time % 2 === 0 ? 'memory:bench' : `memory:bench-${crypto.randomUUID()}`,
    );
    await source.ready();
    source.role('invoice-run').isLeading();
    await source.close();
  }
}
