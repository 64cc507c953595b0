import { after } from '../../time/instant.ts';
import type { Part } from './part.ts';

/** The longest a source is left to others, in its own T. */
const backOffThresholdsMax = 20;
/** How long a later source that promises no fail-over is waited for, in its own T. */
const patienceThresholds = 10;

/**
 * Whoever leads in the first source and cannot get the others keeps out everybody who could: after two to four times as long as a
 * fail-over in any of them may take it makes room, each time for longer. Nobody is to know who has the others: where sources change
 * places, two members may wait for what the other one has. So how long is a matter of chance: of two that wait for each other, one
 * gives up alone.
 */
export class Patience {
  readonly #first: Part;
  readonly #limitMs: number;
  #timer: Disposable | undefined;
  #failures = 0;

  constructor(first: Part, later: readonly Part[]) {
    this.#first = first;
    this.#limitMs = 2 * Math.max(0, ...later.map(failoverMs));
  }

  /** Says how things stand: whether the first source is led for nothing, as it looks. */
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
      const abstainMs = Math.min(2 ** this.#failures, backOffThresholdsMax) * thresholdMs * (0.5 + random() / 2);
      this.#failures += 1;
      this.#timer = undefined;
      this.#first.giveUp(abstainMs);
    });
  }
}

function failoverMs({ source, command }: Part): number {
  const { failoverMsMax } = source.guarantees;
  return failoverMsMax === 'unbounded' ? patienceThresholds * command.thresholdMs : failoverMsMax;
}
