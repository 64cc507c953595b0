// Turns a function into a conformance check.
import type { Check } from './check.ts';
import { type CheckContext, openContext } from './check-context.ts';
import type { Cluster } from './cluster.ts';
import { Inconclusive, TimedOut, Unsafe } from './failure.ts';

/** The definition of a check, whose `run` receives a {@link CheckContext} instead of a cluster. */
export interface CheckDefinition extends Omit<Check, 'run' | 'needs'> {
  readonly needs?: Check['needs'];
  run(context: CheckContext): Promise<void>;
}

/**
 * The number of attempts on a starved machine before an inconclusive result counts as a failure.
 */
const attempts = 3;

/**
 * Creates a check. Each run opens its own context and disposes it at the end. A run whose result is
 * inconclusive because the machine was starved is repeated with 2 T, then with 4 T: longer
 * leases outlast longer stalls, and every bound that a check judges grows with T.
 */
export function defineCheck({ needs = [], run, ...rest }: CheckDefinition): Check {
  const attempt = async (cluster: Cluster, number: number): Promise<void> => {
    let excused = false;
    try {
      await using context = openContext(
        withThreshold(cluster, 2 ** (number - 1) * cluster.thresholdMs),
        rest.id,
      );
      await run(context).catch((error: unknown) => {
        excused = isExcused(error, context);
        throw error;
      });
    } catch (error) {
      if (!excused || number === attempts) throw error;
      await attempt(cluster, number + 1);
    }
  };
  return { ...rest, needs, run: (cluster) => attempt(cluster, 1) };
}

/** Returns the same cluster with another T. */
function withThreshold(cluster: Cluster, thresholdMs: number): Cluster {
  return Object.create(cluster, { thresholdMs: { value: thresholdMs, enumerable: true } });
}

/**
 * Returns whether the error may be caused by a starved machine on which no member could renew its
 * lease.
 */
function isExcused(error: unknown, { starvation }: CheckContext): boolean {
  if (!starvation.isStarved || error instanceof Unsafe || error instanceof TimedOut) return false;
  return error instanceof Inconclusive || starvation.lostLease;
}
