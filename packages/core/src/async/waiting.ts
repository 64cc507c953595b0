import { raceSignal } from './race-signal.ts';

/** What requests wait for that is not the answer of the store, by their signal. */
const waits = new WeakMap<AbortSignal, string>();

/**
 * Waits for shared work, such as credentials, in the name of one request. The error of a time limit
 * behind `signal` then names `what`: otherwise the store would be blamed for it.
 */
export async function waitFor<T>(what: string, work: Promise<T>, signal: AbortSignal): Promise<T> {
  waits.set(signal, what);
  try {
    return await raceSignal(work, signal);
  } finally {
    waits.delete(signal);
  }
}

/** Returns what a request with this signal waits for, as the end of a sentence; or nothing. */
export function waitingFor(signal: AbortSignal): string {
  const what = waits.get(signal);
  return what === undefined ? '' : ` while waiting for ${what}`;
}
