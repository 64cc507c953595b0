import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How often the event loop is looked at. Milliseconds. */
const resolutionMs = 10;

/** Watches the event loop from now on. Returns how long it stood still at worst so far, in milliseconds. */
export function watchLoop(): () => number {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  return () => Math.max(0, delays.max / 1e6 - resolutionMs);
}
