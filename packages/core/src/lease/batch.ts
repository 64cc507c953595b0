import type { RowChange } from '../rows/rows.ts';
import type { Partition } from './state.ts';

/** The changes of the next exchange, beside the renewal. */
export class Batch {
  readonly changes: RowChange[] = [];
  readonly about: (Partition | undefined)[] = [];
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** Whether nothing can be added: it has enough changes, or no exchange can be sent now. */
  get isFull(): boolean {
    return this.changes.length >= this.#max;
  }

  add(change: RowChange, about?: Partition): void {
    this.changes.push(change);
    this.about.push(about);
  }
}
