import type { Self } from './state.ts';

/** How long round trips take: the longest of the latest ones (N10). */
export interface RoundTrip {
  /** Of the usual round trips, the longest in this window and in the one before: no less than 999 of 1000 of them. */
  readonly longestMs: number;
  readonly longestBeforeMs: number;
  readonly measured: number;
  /** Of all round trips, the longest in this short window and in the one before. */
  readonly slowestMs: number;
  readonly slowestBeforeMs: number;
  readonly measuredOfAll: number;
}

/** Of so many usual samples the longest is kept, and of as many before: together never fewer than a thousand. */
const samplesPerWindow = 1000;
/**
 * The same for round trips that are longer than usual. A slow network is slow in each of so few samples. A process that stood still
 * measures its own pause a few times, and its leases are soon as short as before.
 */
const slowSamplesPerWindow = 16;
/** A usual round trip takes at most so many times the one that is reckoned with anyway. */
const usualFactor = 2;

/** Before anything was measured. */
export const unmeasured: RoundTrip = {
  longestMs: 0,
  longestBeforeMs: 0,
  measured: 0,
  slowestMs: 0,
  slowestBeforeMs: 0,
  measuredOfAll: 0,
};

/** One more round trip. */
export function measured(before: RoundTrip, ms: number, { roundTripMs }: Self): RoundTrip {
  const isFull = before.measuredOfAll >= slowSamplesPerWindow;
  const all = {
    slowestMs: isFull ? ms : Math.max(before.slowestMs, ms),
    slowestBeforeMs: isFull ? before.slowestMs : before.slowestBeforeMs,
    measuredOfAll: isFull ? 1 : before.measuredOfAll + 1,
  };
  const { longestMs, longestBeforeMs, measured: count } = before;
  if (ms > usualFactor * roundTripMs) return { longestMs, longestBeforeMs, measured: count, ...all };
  if (count < samplesPerWindow) return { longestMs: Math.max(longestMs, ms), longestBeforeMs, measured: count + 1, ...all };
  return { longestMs: ms, longestBeforeMs: longestMs, measured: 1, ...all };
}

/** d, in milliseconds: at least what is reckoned with anyway, and at most a quarter of the longest lease, for no lease could be kept with longer ones. */
export function roundTripOf({ longestMs, longestBeforeMs, slowestMs, slowestBeforeMs }: RoundTrip, self: Self): number {
  const longest = Math.max(longestMs, longestBeforeMs, slowestMs, slowestBeforeMs);
  return Math.max(self.roundTripMs, Math.min(self.leaseMsMax / 4, longest));
}

/** So many questions of a kind are remembered: an answer to any of them still says how long it took. */
export const beatsRemembered = 8;

/** When a question was sent, by its number and that of the newest; `undefined` if it was never sent, or is no longer remembered. */
export function askedAtOf(beatsAt: readonly number[], newest: number, beat: number): number | undefined {
  return beatsAt[newest - beat];
}
