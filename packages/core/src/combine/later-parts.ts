// For allOf: the leader of the first source must become the leader of all sources. The placement of
// the other sources does not count. A member campaigns in each source only while it leads in all
// sources before it.

import { AcquireTimeout } from './acquire-timeout.ts';
import type { Combination } from './combination.ts';
import type { Part } from './part.ts';

/** Controls the later parts of one partition, which follow the first. */
export class LaterParts {
  readonly #parts: readonly Part[];
  readonly #first: Part;
  readonly #fits: Combination['fits'];
  readonly #acquireTimeout: AcquireTimeout;

  constructor(first: Part, later: readonly Part[], fits: Combination['fits']) {
    this.#first = first;
    this.#parts = later;
    this.#fits = fits;
    this.#acquireTimeout = new AcquireTimeout(first, later);
  }

  /**
   * Makes each part campaign or resign as it should now. `whole` is the state of the combined term.
   */
  place(whole: 'none' | 'running' | 'ending'): void {
    this.#useUpMisfits();
    const isOver = whole === 'ending' || this.#first.isUsedUp;
    if (isOver) this.#first.resign(0);
    let stands = !isOver && this.#first.isSettled;
    for (const part of this.#parts) {
      part.standBy(stands && !part.isUsedUp ? this.#first.term?.token : undefined);
      stands &&= part.isSettled;
    }
    if (whole === 'running') this.#acquireTimeout.succeed();
    this.#acquireTimeout.wait(!stands && this.#first.isSettled);
  }

  [Symbol.dispose](): void {
    this.#acquireTimeout[Symbol.dispose]();
  }

  /**
   * Returns whether the part's token is in order with the token of the first part. The tokens of
   * the first part number the whole, here and on members that combine the sources in the opposite
   * order.
   */
  fits(part: Part): boolean {
    const first = this.#first;
    if (part === first || !isOrdered(first) || !isOrdered(part)) return true;
    return (
      first.term !== undefined &&
      part.term !== undefined &&
      this.#fits(first.term.token, part.term.token)
    );
  }

  /**
   * Marks terms with a token that is too low as used up. A term that was handed over with a token
   * from another store may have one; it is then replaced by a new term.
   */
  #useUpMisfits(): void {
    if (!this.#first.isSettled) return;
    for (const part of this.#parts) if (part.isSettled && !this.fits(part)) part.useUp();
  }
}

function isOrdered({ source }: Part): boolean {
  return source.guarantees.tokens === 'ordered';
}
