import type { Trial } from './trial.ts';

/** Steps of a fail-over that come one after the other: the claim is written, then its news is read. Twice, for a lost first race. */
const stepsOfFailover = 4;
/** Timers wake, and checks look, a few milliseconds late. */
const timersMs = 20;

/** How long this backend takes to answer a few times: what a fail-over may take beyond `guarantees.failoverMsMax`. Milliseconds. */
export async function measureLatency(trial: Trial): Promise<number> {
  const beganAt = performance.now();
  const observer = trial.open('observer', { campaign: false });
  await trial.settled('an observer is ready', observer.ready());
  const tripMs = performance.now() - beganAt;
  await trial.settled('the observer closes', observer.close());
  return stepsOfFailover * tripMs + timersMs;
}

/** What standstills may add to a fail-over that is over: each of its steps may have met the longest of them. Milliseconds. */
export function stallAllowance(trial: Trial): number {
  return stepsOfFailover * trial.stall.take();
}
