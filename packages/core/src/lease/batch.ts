import type { RowChange } from '../rows/rows.ts';
import { type Instant, never } from '../time/instant.ts';
import type { MemberState, Partition } from './state.ts';

/** The changes of the next exchange, beside the renewal. */
export class Batch {
  readonly changes: RowChange[] = [];
  readonly about: (Partition | undefined)[] = [];
  readonly #names = new Set<string>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** Whether nothing can be added: it has enough changes, or no exchange can be sent now. */
  get isFull(): boolean {
    return this.changes.length >= this.#max;
  }

  /** Adds a change, unless the batch has one of that row: a store need not take a second one. */
  add(change: RowChange, about?: Partition): void {
    if (this.#names.has(change.name)) return;
    this.#names.add(change.name);
    this.changes.push(change);
    this.about.push(about);
  }
}

/**
 * Lets a partition wait for an exchange with room for its change. Returns when to look at it again in
 * any case.
 */
export function waitForRoom(
  { waiting }: MemberState,
  { index }: Partition,
  at: Instant = never,
): Instant {
  waiting.add(index);
  return at;
}
