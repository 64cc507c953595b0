// Names what a request waits for, so that the error of a time-out says it: a password, a
// connection, an answer.
import { raceSignal } from './race-signal.ts';

/** What requests wait for that is not the answer of the store, by their signal. */
const waits = new WeakMap<AbortSignal, string | (() => string | undefined)>();

/**
 * Waits for something in the name of one request. The error of a time limit behind `signal` then
 * names `what`: otherwise the store would be blamed for it. A function names it at the limit; it
 * returns `undefined` if the store is to blame, such as for a connection that it does not accept.
 */
export async function named<T>(
  what: string | (() => string | undefined),
  work: Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  waits.set(signal, what);
  try {
    return await work;
  } finally {
    waits.delete(signal);
  }
}

/** Waits likewise for work that others share: if the signal aborts, only the wait ends. */
export function waitFor<T>(
  what: string | (() => string | undefined),
  work: Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  return named(what, raceSignal(work, signal), signal);
}

/** Returns what a request with this signal waits for; `undefined` if it is the store. */
export function waitedFor(signal: AbortSignal): string | undefined {
  const what = waits.get(signal);
  return typeof what === 'function' ? what() : what;
}

/** Returns the sentence of a limit that a request with this signal has exceeded. Milliseconds. */
export function noAnswerWithin(limitMs: number, signal: AbortSignal): string {
  const what = waitedFor(signal);
  const during = what === undefined ? '' : ` while waiting for ${what}`;
  return `no answer within ${Math.round(limitMs)} ms${during}`;
}
