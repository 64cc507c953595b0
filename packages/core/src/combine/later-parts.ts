// For allOf: the leader of the first source must become the leader of all sources. The placement of
// the other sources does not count. A member campaigns in each source only while it leads in all
// sources before it.

import { after } from '../time/instant.ts';
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

/** The longest abstention after giving up the first source, in its own T. */
const backOffThresholdsMax = 20;
/** How long to wait for a later source without a fail-over bound, in its own T. */
const acquireThresholds = 10;

/**
 * Makes a leader of the first source resign if it cannot acquire the others, because it blocks
 * members that could. It resigns after two to four times the longest fail-over of the later
 * sources, and abstains longer each time.
 *
 * The delay is random, because members do not know which of them holds the other sources. While
 * sources are swapped, two members may each wait for the source that the other leads; with random
 * delays only one of them gives up.
 */
class AcquireTimeout {
  readonly #first: Part;
  readonly #limitMs: number;
  #timer: Disposable | undefined;
  #failures = 0;

  constructor(first: Part, later: readonly Part[]) {
    this.#first = first;
    this.#limitMs = 2 * Math.max(0, ...later.map(failoverMs));
  }

  /** Receives whether this member leads the first source without being able to lead the others. */
  wait(isStuck: boolean): void {
    if (!isStuck) this[Symbol.dispose]();
    else this.#timer ??= this.#wake();
  }

  succeed(): void {
    this.#failures = 0;
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #wake(): Disposable {
    const { clock, random, thresholdMs } = this.#first.command;
    return clock.wake(after(clock.now(), this.#limitMs * (1 + random())), () => {
      const abstainMs =
        Math.min(2 ** this.#failures, backOffThresholdsMax) * thresholdMs * (0.5 + random() / 2);
      this.#failures += 1;
      this.#timer = undefined;
      this.#first.resign(abstainMs);
    });
  }
}

function failoverMs({ source, command }: Part): number {
  const { failoverMsMax } = source.guarantees;
  return failoverMsMax === 'unbounded' ? acquireThresholds * command.thresholdMs : failoverMsMax;
}
