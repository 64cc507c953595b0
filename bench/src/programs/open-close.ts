// A child process of open-close-memory: opens and closes thousands of sources, collects garbage,
// and reports what remains.
import { openLeadership } from '@leadership/core';
import { inputOf, report } from '@leadership/tools/processes';
import type { Measured } from '../cost/open-close-memory.ts';

/** The number of times that the heap is read. */
const samples = 20;

const { opens } = inputOf<{ readonly opens: number }>();
const collect = (globalThis as { readonly gc?: () => void }).gc;
if (collect === undefined) throw new Error('open-close needs the option --expose-gc of node');

const batch = Math.ceil(opens / samples);
// Warm up with a third of the measured number, until the compiler and the process hold everything
// that they keep.
await openAndClose(batch * Math.ceil(samples / 3));
const before = process.getActiveResourcesInfo();
const points: [number, number][] = [];
for (let sample = 0; sample <= samples; sample += 1) {
  points.push([sample * batch, await heapBytes()]);
  await openAndClose(batch);
}
await report<Measured>({
  kind: 'measured',
  points,
  left: left(before, process.getActiveResourcesInfo()),
});
process.disconnect();

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

/**
 * Collects garbage several times, because objects with a finalizer are freed one turn of the event
 * loop after a collection.
 */
async function heapBytes(): Promise<number> {
  for (let turn = 0; turn < 3; turn += 1) {
    collect?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed;
}

/** Returns the resources that keep the process alive now and did not before. */
function left(were: readonly string[], are: readonly string[]): readonly string[] {
  const rest = [...were];
  return are.filter((resource) => {
    const found = rest.indexOf(resource);
    if (found >= 0) rest.splice(found, 1);
    return found < 0;
  });
}
