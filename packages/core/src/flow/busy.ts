import type { Clock } from '../time/clock.ts';
import { pause } from './pause.ts';

/** What is under way in a store: closing waits for it. */
export interface Busy {
  /** Notes that `work` is under way. Returns it. */
  with<T>(work: Promise<T>): Promise<T>;
  /** Resolves once nothing is under way, or `ms` later: a store that hangs must not keep us. */
  over(clock: Clock, ms: number): Promise<void>;
}

/** Nothing under way yet. */
export function busy(): Busy {
  const underWay = new Set<Promise<unknown>>();
  return {
    with(work) {
      underWay.add(work);
      const done = (): boolean => underWay.delete(work);
      work.then(done, done);
      return work;
    },
    async over(clock, ms) {
      const waited = new AbortController();
      const settled = async (): Promise<void> => {
        while (underWay.size > 0 && !waited.signal.aborted) await Promise.allSettled(underWay);
      };
      await Promise.race([settled(), pause(clock, ms, waited.signal)]);
      waited.abort();
    },
  };
}
