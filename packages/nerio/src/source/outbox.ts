// What a step wants done goes out in its order, and not before what it rests on is on disk: a wedge, an epoch, a grant (N4, N13).
import type { NerioOutput } from '../protocol/output.ts';

/** Whatever is on disk up to a version. Versions count from 0, which needs no disk. */
export interface Durability {
  /** The latest version that is on disk. */
  readonly durable: number;
}

interface Entry {
  readonly output: NerioOutput;
  readonly version: number;
}

/** Outputs on their way out. */
export class Outbox {
  readonly #durability: Durability;
  readonly #perform: (output: NerioOutput) => void;
  #entries: Entry[] = [];
  #isPerforming = false;

  constructor(durability: Durability, perform: (output: NerioOutput) => void) {
    this.#durability = durability;
    this.#perform = perform;
  }

  /** Performs these after all before them, once that version is on disk. What performing leads to waits its turn. */
  put(outputs: readonly NerioOutput[], version: number): void {
    for (const output of outputs) this.#entries.push({ output, version });
    this.proceed();
  }

  /** Performs what may go out now. */
  proceed(): void {
    if (this.#isPerforming) return;
    this.#isPerforming = true;
    try {
      for (let next = this.#next(); next !== undefined; next = this.#next()) this.#perform(next);
    } finally {
      this.#isPerforming = false;
    }
  }

  /** Whether everything has gone out. */
  get isEmpty(): boolean {
    return this.#entries.length === 0 && !this.#isPerforming;
  }

  #next(): NerioOutput | undefined {
    const [first] = this.#entries;
    if (first === undefined || first.version > this.#durability.durable) return undefined;
    this.#entries.shift();
    return first.output;
  }
}
