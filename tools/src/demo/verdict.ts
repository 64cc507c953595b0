import { contradictions, type Evidence } from './evidence.ts';
import type { Setting, Succession, Summary } from './news.ts';

/** A claim is written, and read back. */
const answersPerClaim = 2;

/** The longest that this fail-over may have taken: the guarantee, and what the event loops and the store were late by. Milliseconds. */
export function boundMs({ guarantees }: Setting, { stallMs, answerMs = 0 }: Succession): number {
  const promisedMs = guarantees.failoverMsMax === 'unbounded' ? Number.POSITIVE_INFINITY : guarantees.failoverMsMax;
  return promisedMs + stallMs + answersPerClaim * answerMs;
}

/** What came out, and which promises were broken. */
export function verdict(setting: Setting, successions: readonly Succession[], evidence: Evidence): Summary {
  const slow = successions
    .filter((succession) => succession.cause === 'crash' && succession.tookMs > boundMs(setting, succession))
    .map(({ from, to, tookMs, stallMs, answerMs }) => {
      const answers = answerMs === undefined ? '' : ` and ${answersPerClaim} answers of ${answerMs.toFixed(1)} ms`;
      const allowed = `${setting.guarantees.failoverMsMax} ms and ${stallMs.toFixed(1)} ms of stall${answers}`;
      return `the fail-over from ${from} to ${to} took ${tookMs.toFixed(1)} ms, more than ${allowed}`;
    });
  const { reigns, looks } = evidence;
  return { setting, successions, terms: reigns.length, looks, broken: [...contradictions(reigns), ...slow] };
}
