// Phi-accrual failure detection, with which members of Nerio and gossip decide that another one is
// dead: suspicion grows with the length of a silence, compared with the usual intervals between
// answers. φ = 8 means that a silence of that length occurs once in 10^8 intervals, if intervals
// are normally distributed.

/** The distribution of a member's answers. Milliseconds, by the observer's clock. */
export interface Pulse {
  readonly lastSignAt: number;
  readonly meanMs: number;
  /** The variance of the intervals, as a moving average. */
  readonly variance: number;
  readonly intervals: number;
  /** When φ reaches the threshold, unless another answer arrives. */
  readonly suspectAt: number;
}

/** A normal distribution has 10^-8 of its mass above this many standard deviations: φ = 8. */
const deviations = 5.612;
/** The least standard deviation, as a share of the expected interval. */
const deviationShareMin = 1 / 8;
/**
 * Until this number of intervals has been seen, the deviation is at least half the expected
 * interval.
 */
const intervalsMin = 4;
/** The weight of the newest interval. */
const newest = 1 / 8;

/** Returns the pulse of a member whose observation has just begun: no suspicion yet. */
export function newPulse(now: number, expectedMs: number): Pulse {
  return withSuspicion(now, expectedMs, (expectedMs / 2) ** 2, 0, expectedMs);
}

/**
 * Records a sign of life. After a silence that counted as death, the earlier statistics are
 * discarded.
 */
export function beaten(pulse: Pulse, now: number, expectedMs: number): Pulse {
  if (now >= pulse.suspectAt) return newPulse(now, expectedMs);
  const intervalMs = now - pulse.lastSignAt;
  const offMs = intervalMs - pulse.meanMs;
  const meanMs = pulse.meanMs + newest * offMs;
  const variance = (1 - newest) * (pulse.variance + newest * offMs * offMs);
  return withSuspicion(now, meanMs, variance, pulse.intervals + 1, expectedMs);
}

/** Returns φ for a silence until `now`: −log10 of its probability while the member is alive. */
export function phi(pulse: Pulse, now: number, expectedMs: number): number {
  const deviation = deviationOf(pulse.variance, pulse.intervals, expectedMs);
  const y = (now - pulse.lastSignAt - pulse.meanMs) / deviation;
  return -Math.log10(upperTail(y));
}

function withSuspicion(
  lastSignAt: number,
  meanMs: number,
  variance: number,
  intervals: number,
  expectedMs: number,
): Pulse {
  const suspectAt = lastSignAt + meanMs + deviations * deviationOf(variance, intervals, expectedMs);
  return { lastSignAt, meanMs, variance, intervals, suspectAt };
}

function deviationOf(variance: number, intervals: number, expectedMs: number): number {
  const shareMin = intervals < intervalsMin ? 1 / 2 : deviationShareMin;
  return Math.max(Math.sqrt(variance), shareMin * expectedMs);
}

/**
 * The area of the normal distribution above `y`: by a continued fraction far out, and by symmetry
 * below the mean.
 */
function upperTail(y: number): number {
  if (y < 0) return 1 - upperTail(-y);
  const density = Math.exp((-y * y) / 2) / Math.sqrt(2 * Math.PI);
  let fraction = y;
  for (let term = fractionTerms; term > 0; term -= 1) fraction = y + term / fraction;
  return y < nearMean ? 0.5 - areaFromMean(y, density) : density / fraction;
}

/** Below this number of deviations the series converges faster than the fraction. */
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
