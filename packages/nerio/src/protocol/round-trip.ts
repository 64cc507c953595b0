// Estimates how long a message and its answer take, so that members renew and give up in time.
import type { RoundTrip, Self } from './state.ts';

/** The window of usual samples. With the previous window it covers at least a thousand samples. */
const samplesPerWindow = 1000;
/**
 * The window of all samples, also unusually long ones. In a slow network every one of the few
 * samples is slow. A process that was paused measures its own pause only a few times, so its leases
 * soon shorten again.
 */
const slowSamplesPerWindow = 16;
/** A usual round trip takes at most this multiple of the configured one. */
const usualFactor = 2;

/** The state before the first sample. */
export const unmeasured: RoundTrip = {
  longestMs: 0,
  longestBeforeMs: 0,
  measured: 0,
  slowestMs: 0,
  slowestBeforeMs: 0,
  measuredOfAll: 0,
};

/** Adds a round trip. */
export function measured(before: RoundTrip, ms: number, { roundTripMs }: Self): RoundTrip {
  const isFull = before.measuredOfAll >= slowSamplesPerWindow;
  const all = {
    slowestMs: isFull ? ms : Math.max(before.slowestMs, ms),
    slowestBeforeMs: isFull ? before.slowestMs : before.slowestBeforeMs,
    measuredOfAll: isFull ? 1 : before.measuredOfAll + 1,
  };
  const { longestMs, longestBeforeMs, measured: count } = before;
  if (ms > usualFactor * roundTripMs)
    return { longestMs, longestBeforeMs, measured: count, ...all };
  if (count < samplesPerWindow)
    return { longestMs: Math.max(longestMs, ms), longestBeforeMs, measured: count + 1, ...all };
  return { longestMs: ms, longestBeforeMs: longestMs, measured: 1, ...all };
}

/**
 * d, in milliseconds: at least the configured round trip, and at most a quarter of the longest
 * lease, because longer ones could not keep a lease.
 */
export function roundTripOf(
  { longestMs, longestBeforeMs, slowestMs, slowestBeforeMs }: RoundTrip,
  self: Self,
): number {
  const longest = Math.max(longestMs, longestBeforeMs, slowestMs, slowestBeforeMs);
  return Math.max(self.roundTripMs, Math.min(self.leaseMsMax / 4, longest));
}

/**
 * The number of latest queries of a kind that are remembered, so that a late answer still measures
 * its round trip.
 */
export const beatsRemembered = 8;

/**
 * When a query was sent, by its number and the newest number; `undefined` if it was never sent or
 * is no longer remembered.
 */
export function askedAtOf(
  beatsAt: readonly number[],
  newest: number,
  beat: number,
): number | undefined {
  return beatsAt[newest - beat];
}
