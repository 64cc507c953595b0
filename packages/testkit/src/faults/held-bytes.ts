// Measures memory in tests of leaks.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/**
 * Returns the heap size after garbage collection. Finalizers release memory one turn of the event
 * loop later. Bytes.
 */
export async function heldBytes(): Promise<number> {
  for (let turn = 0; turn < 3; turn += 1) {
    collect ??= collector();
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
