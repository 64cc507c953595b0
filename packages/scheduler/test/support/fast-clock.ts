import { setTimeout as sleep } from 'node:timers/promises';
import type { WallClock } from '../../src/clock.ts';

/** Creates a wall clock that starts at `startMs` and is `factor` times as fast as the real one. */
export function fastClock(factor: number, startMs = Date.UTC(2026, 0, 1)): WallClock {
  const startedAt = performance.now();
  return {
    now: () => Math.floor(startMs + factor * (performance.now() - startedAt)),
    sleep: (ms, signal) => sleep(ms / factor, undefined, { signal }).catch(() => undefined),
  };
}

/** Returns a clock that differs from another one by `offsetMs`. */
export function shifted(clock: WallClock, offsetMs: number): WallClock {
  return { now: () => clock.now() + offsetMs, sleep: clock.sleep };
}
