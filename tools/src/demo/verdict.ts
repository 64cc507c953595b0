import type { Setup, Succession, Summary } from './demo-event.ts';
import { type Observations, violations } from './observations.ts';

/** Store round trips per claim: one to write it and one to read it back. */
const answersPerClaim = 2;

/**
 * Returns the longest time that this fail-over may take, in milliseconds: the guarantee, plus the
 * measured delays of event loops and store.
 */
export function boundMs({ guarantees }: Setup, { stallMs, answerMs = 0 }: Succession): number {
  const promisedMs =
    guarantees.failoverMsMax === 'unbounded' ? Number.POSITIVE_INFINITY : guarantees.failoverMsMax;
  return promisedMs + stallMs + answersPerClaim * answerMs;
}

/** Returns the summary of a run, with the promises that were broken. */
export function verdict(
  setup: Setup,
  successions: readonly Succession[],
  observations: Observations,
): Summary {
  const slow = successions
    .filter(
      (succession) =>
        succession.cause === 'crash' && succession.tookMs > boundMs(setup, succession),
    )
    .map(({ from, to, tookMs, stallMs, answerMs }) => {
      const answers =
        answerMs === undefined
          ? ''
          : ` and ${answersPerClaim} answers of ${answerMs.toFixed(1)} ms`;
      const allowed = `${setup.guarantees.failoverMsMax} ms and ${stallMs.toFixed(1)} ms of stall${answers}`;
      return `the fail-over from ${from} to ${to} took ${tookMs.toFixed(1)} ms, more than ${allowed}`;
    });
  const { terms, count } = observations;
  return {
    setup,
    successions,
    terms: terms.length,
    observations: count,
    broken: [...violations(terms), ...slow],
  };
}
