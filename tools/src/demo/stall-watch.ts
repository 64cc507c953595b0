/** How often the event loop is asked for a sign of life. Milliseconds: well below the stalls worth telling, and idle for the rest. */
const periodMs = 10;
/** A timer that is no later than this is as punctual as timers are on a machine that has other work. Milliseconds. */
const punctualMs = 5;

/** Measures how late the event loop gets round to what is due. */
export interface StallWatch extends Disposable {
  /** For how long it stood still in all since the last call, a stall that is just over included. Milliseconds. */
  takeMs(): number;
}

/** Watches the event loop of this process until disposed. */
export function stallWatch(): StallWatch {
  let dueAt = performance.now() + periodMs;
  let stoodMs = 0;
  const note = (): void => {
    const now = performance.now();
    if (now - dueAt < punctualMs) return;
    stoodMs += now - dueAt;
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
      const tookMs = stoodMs;
      stoodMs = 0;
      return tookMs;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
