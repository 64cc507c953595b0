// Measures how long the event loop of the tests was blocked.

/** The sampling period in milliseconds. */
const periodMs = 5;

/** Measures stalls of the event loop. */
export interface StallMeter extends Disposable {
  /** Returns the longest stall since the previous call or the start, in milliseconds. */
  take(): number;
  /** The longest stall so far, in milliseconds. */
  readonly longestMs: number;
  /** The greatest sum of stalls within any `windowMs`, in milliseconds. */
  readonly worstMs: number;
}

/** Starts measuring. */
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
