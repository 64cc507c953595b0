import type { Clock } from '../../src/time/clock.ts';
import { after, type Instant } from '../../src/time/instant.ts';

interface Wake {
  readonly at: Instant;
  readonly news: () => void;
}

/** A clock that a test owns: time passes only when told to. */
export interface ManualClock extends Clock {
  /** Time passes; every wake-up that comes due rings in order, and what it sets off happens. */
  pass(ms: number): Promise<void>;
  /** Time passes while the event loop is blocked: nothing rings. */
  block(ms: number): void;
  /** How many wake-ups are set. */
  readonly pending: number;
}

export function manualClock(startMs = 1000): ManualClock {
  const wakes = new Set<Wake>();
  let now = startMs as Instant;
  const next = (until: Instant): Wake | undefined => [...wakes].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
  return {
    now: () => now,
    wallMicros: () => 1_700_000_000_000_000 + Math.floor(now * 1000),
    wake(at, news) {
      const wake = { at, news };
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
        wake.news();
        await turn();
      }
      now = until;
    },
    get pending() {
      return wakes.size;
    },
  };
}

/** Lets everything happen that needs no time. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
