/**
 * Period of the timer, in milliseconds. Well below the stalls that matter, and long enough to cost
 * almost no CPU.
 */
const periodMs = 10;
/**
 * A timer up to this late does not count as a stall, because a machine with other work delays every
 * timer. Milliseconds.
 */
const punctualMs = 5;

/** Measures the stalls of the event loop. */
export interface StallWatch extends Disposable {
  /**
   * Returns the total stall since the previous call, in milliseconds. A stall that has just ended
   * counts.
   */
  takeMs(): number;
}

/** Measures the stalls of this process's event loop until disposed. */
export function stallWatch(): StallWatch {
  let dueAt = performance.now() + periodMs;
  let stalledMs = 0;
  const note = (): void => {
    const now = performance.now();
    if (now - dueAt < punctualMs) return;
    stalledMs += now - dueAt;
    dueAt = now;
  };
  const timer = setInterval(() => {
    note();
    dueAt = performance.now() + periodMs;
  }, periodMs);
  timer.unref();
  return {
    takeMs() {
      note();
      const tookMs = stalledMs;
      stalledMs = 0;
      return tookMs;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
