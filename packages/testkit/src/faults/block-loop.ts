/**
 * Blocks the event loop, as a long computation does. Returns the last instant it looked at the
 * clock: whatever the next statement finds out was found after that. Nanoseconds of the host's
 * monotonic clock.
 */
export function blockLoop(ms: number): bigint {
  let nowNs = process.hrtime.bigint();
  for (const untilNs = nowNs + BigInt(Math.ceil(ms * 1e6)); nowNs < untilNs; )
    nowNs = process.hrtime.bigint();
  return nowNs;
}
