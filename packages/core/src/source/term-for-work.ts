import type { Term } from '../contract/term.ts';
import { manyListeners } from '../process/many-listeners.ts';

/**
 * Returns the term that work receives under the `signal` of `lead`: its own signal also aborts with
 * that one. The term itself does not end by it.
 */
export function termForWork(term: Term, signal: AbortSignal | undefined): Term {
  return signal === undefined ? term : new TermForWork(term, signal);
}

class TermForWork implements Term {
  readonly #term: Term;
  readonly #option: AbortSignal;
  #signal: AbortSignal | undefined;

  constructor(term: Term, option: AbortSignal) {
    this.#term = term;
    this.#option = option;
  }

  get partition(): number {
    return this.#term.partition;
  }

  get token(): bigint {
    return this.#term.token;
  }

  get since(): Date {
    return this.#term.since;
  }

  get signal(): AbortSignal {
    // Read in every call, because the term first ends itself if its deadline has passed.
    const own = this.#term.signal;
    this.#signal ??= manyListeners(AbortSignal.any([own, this.#option]));
    return this.#signal;
  }

  get fenced(): AbortSignal {
    return this.#term.fenced;
  }

  isCurrent(): boolean {
    return this.#term.isCurrent();
  }

  remainingMs(): number {
    return this.#term.remainingMs();
  }

  waitUntil(done: PromiseLike<unknown>): void {
    this.#term.waitUntil(done);
  }

  toJSON(): ReturnType<Term['toJSON']> {
    return this.#term.toJSON();
  }
}
