import { type Clock, pause } from '@leadership/core/backend';

/** Wakes the one who waits for it. */
export interface Bell {
  ring(): void;
  /** Resolves once it has rung since the last wait, or `ms` later. For one waiter at a time. */
  wait(ms: number): Promise<void>;
}

/** A bell that also wakes by `clock`. Nothing is left behind once a wait is over. */
export function bell(clock: Clock): Bell {
  let rung = new AbortController();
  return {
    ring: () => rung.abort(),
    async wait(ms) {
      await pause(clock, ms, rung.signal);
      rung = new AbortController();
    },
  };
}
