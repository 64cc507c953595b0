/** How often the loop is looked at. Milliseconds. */
const periodMs = 5;

/** Measures how long the event loop stood still: nothing that runs on it can be faster than that. */
export interface StallMeter extends Disposable {
  /** The longest standstill since the last call, or the beginning. Milliseconds. */
  take(): number;
  /** The longest standstill of all. Milliseconds. */
  readonly longestMs: number;
}

/** Measures from here on. */
export function stallMeter(): StallMeter {
  let seenAt = performance.now();
  let longestMs = 0;
  let recentMs = 0;
  const look = (): void => {
    const now = performance.now();
    const lateMs = Math.max(0, now - seenAt - periodMs);
    recentMs = Math.max(recentMs, lateMs);
    longestMs = Math.max(longestMs, lateMs);
    seenAt = now;
  };
  const timer = setInterval(look, periodMs);
  return {
    take() {
      look();
      const taken = recentMs;
      recentMs = 0;
      return taken;
    },
    get longestMs() {
      look();
      return longestMs;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
