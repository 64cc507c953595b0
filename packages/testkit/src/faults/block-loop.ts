// Blocks the event loop of a member process.

/** Nothing changes it, so a wait for a change lasts until its time-out. */
const unchanged = new Int32Array(new SharedArrayBuffer(4));

/**
 * Blocks the event loop, as a long computation does, but leaves the processor to others: a busy
 * loop would starve the checks that run at the same time. Returns the last instant it looked at the
 * clock: whatever the next statement finds out was found after that. Nanoseconds of the host's
 * monotonic clock.
 */
export function blockLoop(ms: number): bigint {
  let nowNs = process.hrtime.bigint();
  for (const untilNs = nowNs + BigInt(Math.ceil(ms * 1e6)); nowNs < untilNs; ) {
    Atomics.wait(unchanged, 0, 0, Number(untilNs - nowNs) / 1e6);
    nowNs = process.hrtime.bigint();
  }
  return nowNs;
}
