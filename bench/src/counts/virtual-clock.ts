// The clock of the counted operations.
import type { Clock, Instant } from '@leadership/core/adapter';
import { after, nextTurn } from '@leadership/core/internal/engine';

/** A clock that counts how often it is read, and advances only in `passTo`. */
export interface VirtualClock extends Clock {
  readonly reads: number;
  /** Advances to `at` and runs every wake-up that is due, each with all that follows from it. */
  passTo(at: Instant): Promise<void>;
}

export function virtualClock(): VirtualClock {
  const wakes: { readonly at: Instant; readonly callback: () => void }[] = [];
  let now = after(0 as Instant, 1000);
  let reads = 0;
  return {
    get reads() {
      return reads;
    },
    now() {
      reads += 1;
      return now;
    },
    wallMicros: () => 1_700_000_000_000_000 + now * 1000,
    // Without turns of the clock, members measure those of the event loop by the real clock: they
    // would make more calls on a busy machine.
    turn: queueMicrotask,
    wake(at, callback) {
      const wake = { at, callback };
      const follower = wakes.findIndex((other) => other.at > at);
      wakes.splice(follower < 0 ? wakes.length : follower, 0, wake);
      return {
        [Symbol.dispose]() {
          const index = wakes.indexOf(wake);
          if (index >= 0) wakes.splice(index, 1);
        },
      };
    },
    async passTo(at) {
      for (let [wake] = wakes; wake !== undefined && wake.at <= at; [wake] = wakes) {
        wakes.shift();
        if (wake.at > now) now = wake.at;
        wake.callback();
        await nextTurn();
      }
      now = at;
    },
  };
}
