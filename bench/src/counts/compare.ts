// Compares the counted costs of this run with those committed in `bench/counts.json`, for `npm run
// check`.
import type { Cost, Figure } from './count.ts';

/** The costs of all operations by name, and the major version of Node that counted their bytes. */
export interface Counts {
  readonly node: string;
  readonly costs: Readonly<Record<string, Cost>>;
}

/** The relative difference of bytes that is none. */
const tolerance = 0.01;
/**
 * The same for an operation with promises: the event loop allocates beside it, which moves its bytes
 * by up to a sixth between builds, and from run to run on a busy machine.
 */
const asyncTolerance = 0.2;
const asyncOperations: readonly string[] = ['renewal over rows'];

/**
 * Returns one line for each figure that differs from what is committed. Clock readings and calls
 * must be equal. Bytes count only on the version of Node that the committed ones were counted on.
 */
export function differences(committed: Counts, counted: Counts): readonly string[] {
  const names = new Set([...Object.keys(committed.costs), ...Object.keys(counted.costs)]);
  return [...names].flatMap((name) => {
    const [before, now] = [committed.costs[name], counted.costs[name]];
    if (before === undefined) return [`${name}: its cost is not committed`];
    if (now === undefined) return [`${name}: it is committed, but is no longer counted`];
    return figures
      .filter((figure) => figure !== 'bytes' || committed.node === counted.node)
      .filter((figure) => {
        const difference = Math.abs(now[figure] - before[figure]);
        return difference > (figure === 'bytes' ? toleranceOf(name) * before[figure] : 0);
      })
      .map(
        (figure) => `${name}: ${now[figure]} ${labels[figure]}, committed are ${before[figure]}`,
      );
  });
}

const labels: Readonly<Record<Figure, string>> = {
  clockReads: 'readings of the clock',
  calls: 'calls',
  bytes: 'bytes',
};
const figures = Object.keys(labels) as readonly Figure[];

function toleranceOf(name: string): number {
  return asyncOperations.includes(name) ? asyncTolerance : tolerance;
}
