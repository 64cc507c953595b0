import type { Check } from './check.ts';
import { openTrial, type Trial } from './trial.ts';

/** A check as its file writes it: with a trial for a cluster. */
export interface CheckDefinition extends Omit<Check, 'run' | 'needs'> {
  readonly needs?: Check['needs'];
  run(trial: Trial): Promise<void>;
}

/** How often a trial is repeated that a starved machine disturbed. */
const attempts = 3;

/**
 * Something was disturbed that ought not to be. Where the event loop stood still meanwhile it proves nothing: no lease survives that,
 * and none promises to. Only disturbances are excused like this, never a second leader.
 */
export class Disturbed extends Error {
  override readonly name = 'Disturbed';
}

/** The check: each run has a trial of its own, which is over with it. */
export function defineCheck({ needs = [], run, ...rest }: CheckDefinition): Check {
  const attempt = async (cluster: Parameters<Check['run']>[0], left: number): Promise<void> => {
    let wasStarved = false;
    try {
      await using trial = openTrial(cluster, rest.promise);
      await run(trial).finally(() => {
        // Half a lease without a turn of the loop: its renewals are late, whoever wrote it.
        wasStarved = trial.stall.longestMs > trial.thresholdMs / 2;
      });
    } catch (error) {
      if (!(error instanceof Disturbed) || !wasStarved || left === 0) throw error;
      await attempt(cluster, left - 1);
    }
  };
  return { ...rest, needs, run: (cluster) => attempt(cluster, attempts - 1) };
}
