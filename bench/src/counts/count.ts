// Counts what one operation costs, for the counted costs of `npm run check`: readings of the clock,
// calls of this project's functions, and bytes. V8 runs without its optimising compilers, so the
// counts are the same in every run and on every machine. Bytes also depend on the version of V8.
import { Session } from 'node:inspector/promises';
import { median } from '../measure/statistics.ts';
import type { Operation } from './operations.ts';

/** The counted figures. */
export type Figure = 'clockReads' | 'calls' | 'bytes';

/** The cost of one operation, on average over a batch. */
export type Cost = Readonly<Record<Figure, number>>;

/** Batches before the first that counts: V8 creates what it keeps per function. */
const warmUps = 5;
/** Batches whose bytes count. */
const batches = 20;

/** Counts the cost of an operation. The process needs {@link v8Flags}. */
export async function countCost(operation: Operation): Promise<Cost> {
  for (let batch = 0; batch < warmUps; batch += 1) await once(operation);
  const { bytes, clockReads } = await countBytes(operation);
  const calls = await countCalls(operation);
  return { clockReads: rounded(clockReads), calls: rounded(calls), bytes: rounded(bytes) };
}

/** Flags that make counts repeatable. The semi-space is so large that no collection runs in a batch. */
export const v8Flags: readonly string[] = [
  '--expose-gc',
  '--single-threaded',
  '--no-opt',
  '--no-sparkplug',
  '--no-lazy-feedback-allocation',
  '--no-flush-bytecode',
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
];

async function once({ reset, batch }: Operation): Promise<number> {
  reset?.();
  return await batch();
}

async function countBytes({ clock, reset, batch }: Operation) {
  const bytes: number[] = [];
  const clockReads: number[] = [];
  for (let round = 0; round < batches; round += 1) {
    reset?.();
    collectGarbage();
    const reads = clock.reads;
    const before = process.memoryUsage().heapUsed;
    const done = batch();
    const count = typeof done === 'number' ? done : await done;
    bytes.push((process.memoryUsage().heapUsed - before) / count);
    clockReads.push((clock.reads - reads) / count);
  }
  // Many batches with promises include what the heap and the event loop do beside them, which only adds.
  return { bytes: Math.min(...bytes), clockReads: median(clockReads) };
}

async function countCalls({ reset, batch }: Operation): Promise<number> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  reset?.();
  await session.post('Profiler.takePreciseCoverage');
  const count = await batch();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  const calls = result
    .filter(({ url }) => url.includes('/packages/'))
    .flatMap(({ functions }) => functions.map(({ ranges }) => ranges[0]?.count ?? 0))
    .reduce((sum, calls) => sum + calls, 0);
  return calls / count;
}

function collectGarbage(): void {
  if (globalThis.gc === undefined) throw new Error('counting needs the flag --expose-gc');
  globalThis.gc();
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
