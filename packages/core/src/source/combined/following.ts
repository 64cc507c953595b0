// Who is to lead in all sources: whoever leads in the first. The others have no say in it: a member stands there while it leads in all
// before, and no longer.
import type { Combination } from './combination.ts';
import type { Part } from './part.ts';
import { Patience } from './patience.ts';

/** One partition's parts, those that follow the first. */
export class Following {
  readonly #parts: readonly Part[];
  readonly #first: Part;
  readonly #fits: Combination['fits'];
  readonly #patience: Patience;

  constructor(first: Part, later: readonly Part[], fits: Combination['fits']) {
    this.#first = first;
    this.#parts = later;
    this.#fits = fits;
    this.#patience = new Patience(first, later);
  }

  /** Has each part do what it should now. `whole` is how far the term of the whole has come. */
  place(whole: 'none' | 'running' | 'ending'): void {
    this.#useUpMisfits();
    const isOver = whole === 'ending' || this.#first.isUsedUp;
    if (isOver) this.#first.giveUp(0);
    let stands = !isOver && this.#first.isSettled;
    for (const part of this.#parts) {
      part.standBy(stands && !part.isUsedUp ? this.#first.term?.token : undefined);
      stands &&= part.isSettled;
    }
    if (whole === 'running') this.#patience.succeed();
    this.#patience.wait(!stands && this.#first.isSettled);
  }

  [Symbol.dispose](): void {
    this.#patience[Symbol.dispose]();
  }

  /** Whether the tokens are in order: those of the first are what the whole is numbered by, here and where the sources stand the other way round. */
  fits(part: Part): boolean {
    const first = this.#first;
    if (part === first || !isOrdered(first) || !isOrdered(part)) return true;
    return first.term !== undefined && part.term !== undefined && this.#fits(first.term.token, part.term.token);
  }

  /** A term that was handed over with a token from elsewhere may be numbered too low: then it takes another one. */
  #useUpMisfits(): void {
    if (!this.#first.isSettled) return;
    for (const part of this.#parts) if (part.isSettled && !this.fits(part)) part.useUp();
  }
}

function isOrdered({ source }: Part): boolean {
  return source.guarantees.tokens === 'ordered';
}
