// The clock of schedules.
import { setTimeout as sleep } from 'node:timers/promises';

/** The wall clock by which ticks are due. Tests replace it. */
export interface WallClock {
  /** Returns the time in milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms` milliseconds, or early once the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** The longest sleep. The wall clock may be set meanwhile, and timers have a limit of 24 days. */
export const sleepMsMax = 30_000;

/** The clock of this process. */
export const wallClock: WallClock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    // Its only rejection is the abort.
    sleep(ms, undefined, { signal }).catch(() => undefined),
};
