import type { Term } from '../contract/term.ts';

/** Makes an orderly end of the term wait for `done`; `false` where it is too late for that. */
export function holdOpen(term: Term, done: PromiseLike<unknown>): boolean {
  try {
    term.waitUntil(done);
    return true;
  } catch {
    return false;
  }
}
