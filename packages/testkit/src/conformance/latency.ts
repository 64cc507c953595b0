import type { Trial } from './trial.ts';

/** Steps of a fail-over that come one after the other: the claim is written, then its news is read. Twice, for a lost first race. */
const stepsOfFailover = 4;
/** Timers wake, and checks look, a few milliseconds late. */
const timersMs = 20;

/** The number of round trips that a cluster promises to fit into T: see {@link Cluster.thresholdMs}. */
const tripsPerThreshold = 10;

/**
 * How long this backend takes to answer a few times: what a fail-over may take beyond `guarantees.failoverMsMax`. A source that is slow to
 * be ready excuses no more than its cluster promises of T. Milliseconds.
 */
export async function measureLatency(trial: Trial): Promise<number> {
  const beganAt = performance.now();
  const observer = trial.open('observer', { campaign: false });
  await trial.settled('an observer is ready', observer.ready());
  const tripMs = performance.now() - beganAt;
  await trial.settled('the observer closes', observer.close());
  return stepsOfFailover * Math.min(tripMs, trial.thresholdMs / tripsPerThreshold) + timersMs;
}

/**
 * How long an orderly hand-over may take, which has round trips of T/10 to make. A lease that is left to lapse takes two thirds of T at
 * least: it was renewed less than T/3 ago (L8). Milliseconds.
 */
export function handoverMsMax(trial: Trial): number {
  return trial.thresholdMs / 2 + timersMs + stallAllowance(trial);
}

/** What standstills may add to a fail-over that is over: each of its steps may have met the longest of them. Milliseconds. */
export function stallAllowance(trial: Trial): number {
  return stepsOfFailover * trial.stall.take();
}
