import type { Check } from './check.ts';
import { type CheckContext, openTrial } from './check-context.ts';
import { Inconclusive, TimedOut, Unsafe } from './failure.ts';

/** The definition of a check, whose `run` receives a {@link CheckContext} instead of a cluster. */
export interface CheckDefinition extends Omit<Check, 'run' | 'needs'> {
  readonly needs?: Check['needs'];
  run(trial: CheckContext): Promise<void>;
}

/**
 * The number of attempts on a starved machine before an inconclusive result counts as a failure.
 */
const attempts = 3;

/** Creates a check. Each run opens its own trial and disposes it at the end. */
export function defineCheck({ needs = [], run, ...rest }: CheckDefinition): Check {
  const attempt = async (cluster: Parameters<Check['run']>[0], left: number): Promise<void> => {
    let excused = false;
    try {
      await using trial = openTrial(cluster, rest.id);
      await run(trial).catch((error: unknown) => {
        excused = isExcused(error, trial);
        throw error;
      });
    } catch (error) {
      if (!excused || left === 0) throw error;
      await attempt(cluster, left - 1);
    }
  };
  return { ...rest, needs, run: (cluster) => attempt(cluster, attempts - 1) };
}

/**
 * Returns whether the error may be caused by a starved machine on which no member could renew its
 * lease.
 */
function isExcused(error: unknown, { duress }: CheckContext): boolean {
  if (!duress.isStarved || error instanceof Unsafe || error instanceof TimedOut) return false;
  return error instanceof Inconclusive || duress.lostLease;
}
