import { after } from '../time/instant.ts';
import type { Part } from './part.ts';

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
export class AcquireTimeout {
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
