import type { Term } from '../contract/term.ts';

/** Makes an orderly end of the term wait for `done`; `false` where the term is ending already: nothing new begins in it. */
export function holdOpen(term: Term, done: PromiseLike<unknown>): boolean {
  if (term.signal.aborted) return false;
  try {
    term.waitUntil(done);
    return true;
  } catch {
    return false;
  }
}
