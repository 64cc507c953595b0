/** How often the loop is looked at. Milliseconds. */
const periodMs = 5;

/** Measures how long the event loop stood still: nothing that runs on it can be faster than that. */
export interface StallMeter extends Disposable {
  /** The longest standstill since the last call, or the beginning. Milliseconds. */
  take(): number;
  /** The longest standstill of all. Milliseconds. */
  readonly longestMs: number;
  /** How long the loop stood still at most within any `windowMs`, many short standstills together. Milliseconds. */
  readonly worstMs: number;
}

/** Measures from here on. */
export function stallMeter(windowMs: number = Number.POSITIVE_INFINITY): StallMeter {
  let recent: readonly { readonly at: number; readonly lateMs: number }[] = [];
  let worstMs = 0;
  let seenAt = performance.now();
  let longestMs = 0;
  let recentMs = 0;
  const look = (): void => {
    const now = performance.now();
    const lateMs = Math.max(0, now - seenAt - periodMs);
    recentMs = Math.max(recentMs, lateMs);
    longestMs = Math.max(longestMs, lateMs);
    if (lateMs >= 1) {
      recent = [...recent.filter(({ at }) => at > now - windowMs), { at: now, lateMs }];
      worstMs = Math.max(
        worstMs,
        Math.min(
          windowMs,
          recent.reduce((sum, one) => sum + one.lateMs, 0),
        ),
      );
    }
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
    get worstMs() {
      look();
      return worstMs;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
