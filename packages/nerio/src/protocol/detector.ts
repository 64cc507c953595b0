// Phi-accrual failure detection: the longer a member is silent, compared with how it used to answer, the more it is suspected.
// φ = 8 means that so long a silence comes once in 10^8 times, if answers are spread about their mean as a bell curve is.

/** How a member has been answering. Milliseconds, by the clock of who listens. */
export interface Pulse {
  readonly heardAt: number;
  readonly meanMs: number;
  /** The mean square of how far intervals were from the mean. */
  readonly variance: number;
  readonly intervals: number;
  /** When φ reaches the threshold, if nothing more is heard. */
  readonly suspectAt: number;
}

/** Of a bell curve, this many deviations leave 10^-8 above: φ = 8. */
const deviations = 5.612;
/** Answers are never taken to be more regular than this share of the interval at which they are asked for. */
const deviationShareMin = 1 / 8;
/** Before so many intervals were seen, they are taken to be as regular as they are asked for, give or take half. */
const intervalsMin = 4;
/** How much the newest interval counts. */
const newest = 1 / 8;

/** One who has just begun to be listened to: nothing is held against it yet. */
export function newPulse(now: number, expectedMs: number): Pulse {
  return withSuspicion(now, expectedMs, (expectedMs / 2) ** 2, 0, expectedMs);
}

/** A sign of life. After a silence that counted as death, what went before counts no more. */
export function beaten(pulse: Pulse, now: number, expectedMs: number): Pulse {
  if (now >= pulse.suspectAt) return newPulse(now, expectedMs);
  const intervalMs = now - pulse.heardAt;
  const offMs = intervalMs - pulse.meanMs;
  const meanMs = pulse.meanMs + newest * offMs;
  const variance = (1 - newest) * (pulse.variance + newest * offMs * offMs);
  return withSuspicion(now, meanMs, variance, pulse.intervals + 1, expectedMs);
}

/** How much a silence up to `now` is held against a member: −log10 of how likely it is in one that lives. */
export function phi(pulse: Pulse, now: number, expectedMs: number): number {
  const deviation = deviationOf(pulse.variance, pulse.intervals, expectedMs);
  const y = (now - pulse.heardAt - pulse.meanMs) / deviation;
  return -Math.log10(upperTail(y));
}

function withSuspicion(heardAt: number, meanMs: number, variance: number, intervals: number, expectedMs: number): Pulse {
  const suspectAt = heardAt + meanMs + deviations * deviationOf(variance, intervals, expectedMs);
  return { heardAt, meanMs, variance, intervals, suspectAt };
}

function deviationOf(variance: number, intervals: number, expectedMs: number): number {
  const shareMin = intervals < intervalsMin ? 1 / 2 : deviationShareMin;
  return Math.max(Math.sqrt(variance), shareMin * expectedMs);
}

/** The bell curve's area above `y`, by a continued fraction far out and by symmetry below the mean. */
function upperTail(y: number): number {
  if (y < 0) return 1 - upperTail(-y);
  const density = Math.exp((-y * y) / 2) / Math.sqrt(2 * Math.PI);
  let fraction = y;
  for (let term = fractionTerms; term > 0; term -= 1) fraction = y + term / fraction;
  return y < nearMean ? 0.5 - areaFromMean(y, density) : density / fraction;
}

/** Below this many deviations the series converges faster than the fraction. */
const nearMean = 2;
const fractionTerms = 40;
const seriesTerms = 40;

function areaFromMean(y: number, density: number): number {
  let term = y;
  let sum = y;
  for (let odd = 3; odd < 2 * seriesTerms; odd += 2) {
    term *= (y * y) / odd;
    sum += term;
  }
  return density * sum;
}
