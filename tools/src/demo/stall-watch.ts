/** How often the event loop is asked for a sign of life. Milliseconds: well below the stalls worth telling, and idle for the rest. */
const periodMs = 10;

/** Measures how late the event loop gets round to what is due. */
export interface StallWatch extends Disposable {
  /** The longest stall since the last call, one that is just over included. Milliseconds. */
  takeMs(): number;
}

/** Watches the event loop of this process until disposed. */
export function stallWatch(): StallWatch {
  let dueAt = performance.now() + periodMs;
  let worstMs = 0;
  const note = (): void => {
    worstMs = Math.max(worstMs, performance.now() - dueAt);
  };
  const timer = setInterval(() => {
    note();
    dueAt = performance.now() + periodMs;
  }, periodMs);
  timer.unref();
  return {
    takeMs() {
      note();
      const tookMs = worstMs;
      worstMs = 0;
      return tookMs;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
