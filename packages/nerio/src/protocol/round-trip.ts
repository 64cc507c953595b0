import type { Self } from './state.ts';

/** How long round trips take: the longest of the latest ones, which is no less than 999 of 1000 of them (N10). */
export interface RoundTrip {
  readonly longestMs: number;
  readonly longestBeforeMs: number;
  readonly measured: number;
}

/** Of so many samples the longest is kept, and of as many before: together never fewer than a thousand. */
const samplesPerWindow = 1000;

/** Before anything was measured. */
export const unmeasured: RoundTrip = { longestMs: 0, longestBeforeMs: 0, measured: 0 };

/** One more round trip. */
export function measured({ longestMs, longestBeforeMs, measured: count }: RoundTrip, ms: number): RoundTrip {
  if (count < samplesPerWindow) return { longestMs: Math.max(longestMs, ms), longestBeforeMs, measured: count + 1 };
  return { longestMs: ms, longestBeforeMs: longestMs, measured: 1 };
}

/**
 * d, in milliseconds: at least what is reckoned with anyway, and at most a quarter of the longest lease, for no lease could be kept with
 * longer ones. A process that stood still measures its own pause.
 */
export function roundTripOf({ longestMs, longestBeforeMs }: RoundTrip, { roundTripMs, leaseMsMax }: Self): number {
  return Math.max(roundTripMs, Math.min(leaseMsMax / 4, Math.max(longestMs, longestBeforeMs)));
}
