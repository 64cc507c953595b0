import type { Clock } from '../time/clock.ts';
import { sleep } from './sleep.ts';

/** The operations in flight in a store. Closing the store waits for them. */
export interface InFlight {
  /** Tracks `work` until it settles. Returns it. */
  track<T>(work: Promise<T>): Promise<T>;
  /**
   * Resolves once no operation is in flight, or after `ms` milliseconds, so that a store that hangs
   * cannot block closing.
   */
  settled(clock: Clock, ms: number): Promise<void>;
}

/** Creates a tracker without operations. */
export function inFlight(): InFlight {
  const underWay = new Set<Promise<unknown>>();
  return {
    track(work) {
      underWay.add(work);
      const done = (): boolean => underWay.delete(work);
      work.then(done, done);
      return work;
    },
    async settled(clock, ms) {
      const waited = new AbortController();
      const settled = async (): Promise<void> => {
        while (underWay.size > 0 && !waited.signal.aborted) await Promise.allSettled(underWay);
      };
      await Promise.race([settled(), sleep(clock, ms, waited.signal)]);
      waited.abort();
    },
  };
}
