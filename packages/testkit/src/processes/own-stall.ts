// Measures how long this process keeps its event loop busy without a pause. Time in which it is
// runnable and has no core does not count: it says something of the machine, not of the process.

/** The sampling interval. Milliseconds. */
const resolutionMs = 10;

/** A measurement that runs until it is disposed. */
export interface OwnStall extends Disposable {
  /** Returns the longest stall since the previous call or the start. Milliseconds. */
  take(): number;
  /** The longest stall so far. Milliseconds. */
  readonly longestMs: number;
}

/** Begins to measure. */
export function ownStall(): OwnStall {
  let longestMs = 0;
  let recentMs = 0;
  let sampledAt = performance.now();
  let used = process.cpuUsage();
  const sample = (): void => {
    const [at, { user, system }] = [performance.now(), process.cpuUsage(used)];
    const busyMs = Math.min(at - sampledAt - resolutionMs, (user + system) / 1000);
    longestMs = Math.max(longestMs, busyMs);
    recentMs = Math.max(recentMs, busyMs);
    sampledAt = at;
    used = process.cpuUsage();
  };
  // A member that is closed ends by itself.
  const timer = setInterval(sample, resolutionMs).unref();
  return {
    take() {
      const taken = recentMs;
      recentMs = 0;
      return taken;
    },
    get longestMs() {
      return longestMs;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
