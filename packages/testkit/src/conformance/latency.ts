// Measures how fast a store answers, so that checks allow for it.
import type { CheckContext } from './check-context.ts';
import { Inconclusive } from './failure.ts';
import type { StallMeter } from './stall.ts';

/**
 * Sequential steps of a fail-over: write the claim, then read it back; both twice, in case the
 * first claim loses.
 */
const stepsOfFailover = 4;
/** The allowance for the delays of timers and polls, in milliseconds. */
const timersMs = 20;

/** The number of round trips that must fit into T: see {@link Cluster.thresholdMs}. */
const tripsPerThreshold = 10;

/**
 * Measures the allowance for round trips beyond `guarantees.failoverMsMax`, in milliseconds. The
 * allowance is limited by the cluster's T, so that a slow start does not excuse a slow fail-over.
 * What an adapter reports in `health()` gives it none.
 */
export async function measureLatency(context: CheckContext): Promise<number> {
  const beganAt = performance.now();
  const observer = context.open('observer', { campaign: false });
  await context.settled('an observer is ready', observer.ready());
  const tripMs = performance.now() - beganAt;
  await context.settled('the observer closes', observer.close());
  return stepsOfFailover * Math.min(tripMs, context.thresholdMs / tripsPerThreshold) + timersMs;
}

/**
 * Judges how long an orderly hand-over takes, from its start until another member leads: T/2 plus
 * allowances for timers and stalls. Waiting for the lease to expire would take at least two thirds of T,
 * because it was renewed less than T/3 ago (L8).
 */
export async function judgeHandover(
  context: CheckContext,
  what: string,
  start: () => Promise<void>,
  succeeded: () => Promise<unknown>,
): Promise<void> {
  context.stall.take();
  const beganAt = performance.now();
  const over = start();
  await succeeded();
  const tookMs = performance.now() - beganAt;
  await context.settled('the leader has handed over', over);
  const boundMs = context.thresholdMs / 2 + timersMs + stallAllowance(context);
  if (tookMs > boundMs)
    throw new Inconclusive(
      `${what} took ${Math.round(tookMs)} ms, promised were ${Math.round(boundMs)}: as long as if the leader had crashed`,
    );
}

/**
 * Returns the allowance for stalls in a completed fail-over, in milliseconds: each step may have
 * met the longest stall.
 */
export function stallAllowance(context: CheckContext): number {
  return stepsOfFailover * context.stall.take();
}

/** Returns the same allowance for all stalls that a meter has seen. */
export function allowanceOf({ longestMs }: Pick<StallMeter, 'longestMs'>): number {
  return stepsOfFailover * longestMs;
}
