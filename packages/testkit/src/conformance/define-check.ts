import type { Check } from './check.ts';
import { Disturbed, Unsafe, WaitedInVain } from './failure.ts';
import { openTrial, type Trial } from './trial.ts';

/** A check as its file writes it: with a trial for a cluster. */
export interface CheckDefinition extends Omit<Check, 'run' | 'needs'> {
  readonly needs?: Check['needs'];
  run(trial: Trial): Promise<void>;
}

/** How often a trial is held on a starved machine until what disturbed it counts. */
const attempts = 3;

/** The check: each run has a trial of its own, which is over with it. */
export function defineCheck({ needs = [], run, ...rest }: CheckDefinition): Check {
  const attempt = async (cluster: Parameters<Check['run']>[0], left: number): Promise<void> => {
    let excused = false;
    try {
      await using trial = openTrial(cluster, rest.promise);
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

/** Whether this says something about the machine rather than the promise: a lease was lost that nobody could have kept. */
function isExcused(error: unknown, { duress }: Trial): boolean {
  if (!duress.isStarved || error instanceof Unsafe || error instanceof WaitedInVain) return false;
  return error instanceof Disturbed || duress.lostLease;
}
