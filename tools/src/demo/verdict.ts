// Decides for the summary of the demo whether each fail-over kept to its guarantee.
import type { Setup, Succession, Summary } from './demo-event.ts';
import { violations, type WorkRecord } from './work-record.ts';

/** Store round trips per claim: one to write it and one to read it back. */
const answersPerClaim = 2;

/**
 * Returns the longest time that this fail-over may take, in milliseconds: the guarantee, plus the
 * measured waits for processors and store.
 */
export function boundMs({ guarantees }: Setup, { waitedMs, answerMs = 0 }: Succession): number {
  const promisedMs =
    guarantees.failoverMsMax === 'unbounded' ? Number.POSITIVE_INFINITY : guarantees.failoverMsMax;
  return promisedMs + waitedMs + answersPerClaim * answerMs;
}

/** Returns the summary of a run, with the promises that were broken. */
export function verdict(
  setup: Setup,
  successions: readonly Succession[],
  work: WorkRecord,
): Summary {
  const slow = successions
    .filter(
      (succession) =>
        succession.cause === 'crash' && succession.tookMs > boundMs(setup, succession),
    )
    .map(({ from, to, tookMs, waitedMs, answerMs }) => {
      const answers =
        answerMs === undefined
          ? ''
          : ` and ${answersPerClaim} answers of ${answerMs.toFixed(1)} ms`;
      const allowed = `${setup.guarantees.failoverMsMax} ms and ${waitedMs.toFixed(1)} ms of waiting for a processor${answers}`;
      return `the fail-over from ${from} to ${to} took ${tookMs.toFixed(1)} ms, more than ${allowed}`;
    });
  const { periods, terms, count } = work;
  return {
    setup,
    successions,
    terms,
    lines: count,
    broken: [...violations(periods), ...slow],
  };
}
