import type { Term } from '../contract/term.ts';

/**
 * Makes an orderly end of the term wait for `done`. Returns `false` if the term is already ending,
 * so that no new work begins in it.
 */
export function holdOpen(term: Term, done: PromiseLike<unknown>): boolean {
  if (term.signal.aborted) return false;
  try {
    term.waitUntil(done);
    return true;
  } catch {
    return false;
  }
}
