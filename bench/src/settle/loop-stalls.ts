import { monitorEventLoopDelay } from 'node:perf_hooks';

/** The sampling interval of the event loop. Milliseconds. */
const resolutionMs = 10;

/**
 * Measures the event loop from now on. The returned function gives the longest stall so far, in
 * milliseconds.
 */
export function watchLoop(): () => number {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  return () => Math.max(0, delays.max / 1e6 - resolutionMs);
}
