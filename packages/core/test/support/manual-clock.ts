import type { Clock } from '../../src/time/clock.ts';
import { after, type Instant } from '../../src/time/instant.ts';

interface Wake {
  readonly at: Instant;
  readonly callback: () => void;
}

/** A clock that advances only when a test advances it. */
export interface ManualClock extends Clock {
  /**
   * Advances the clock. Every wake-up that is due runs in order, together with its consequences.
   */
  pass(ms: number): Promise<void>;
  /** Advances the clock while the event loop is blocked: no wake-up runs. */
  block(ms: number): void;
  /** The number of pending wake-ups. */
  readonly pending: number;
}

export function manualClock(startMs = 1000): ManualClock {
  const wakes = new Set<Wake>();
  let now = startMs as Instant;
  const next = (until: Instant): Wake | undefined =>
    [...wakes].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
  return {
    now: () => now,
    wallMicros: () => 1_700_000_000_000_000 + Math.floor(now * 1000),
    wake(at, callback) {
      const wake = { at, callback };
      wakes.add(wake);
      return { [Symbol.dispose]: () => void wakes.delete(wake) };
    },
    block(ms) {
      now = after(now, ms);
    },
    async pass(ms) {
      const until = after(now, ms);
      await turn();
      for (let wake = next(until); wake !== undefined; wake = next(until)) {
        wakes.delete(wake);
        if (wake.at > now) now = wake.at;
        wake.callback();
        await turn();
      }
      now = until;
    },
    get pending() {
      return wakes.size;
    },
  };
}

/** Runs all pending callbacks that need no time. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
