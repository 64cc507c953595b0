import type { Exchange, Exchanged, NamedText, RowChange } from './rows.ts';

/** Where a reader of a {@link RowStore} is. */
interface RowPosition {
  /** The history that it has read. */
  readonly history: number;
  /** The number of changes that it knows. */
  readonly count: number;
}

/** Changes that are remembered beside those of rows that exist. Older readers read everything. */
const rememberedMin = 1024;

/**
 * Rows in memory, with positions: the memory backend, the stores of the simulation, and what a reader
 * folds a log into. Each call is one step.
 */
export class RowStore {
  readonly #rows = new Map<string, string>();
  /** The names of the changed rows, in order. The position of a reader is an index. */
  #changed: string[] = [];
  /** The number of changes before the first of them. */
  #forgotten = 0;
  #history = 0;

  /** The rows by name. */
  get rows(): ReadonlyMap<string, string> {
    return this.#rows;
  }

  /** The number of times that the store has lost its history. */
  get history(): number {
    return this.#history;
  }

  /** Makes the changes, if the position is of this history, and returns what has changed since. */
  exchange(request: Omit<Exchange, 'mayLag'>): Exchanged {
    const isKnown = this.isKnown(request.since);
    return this.answer(
      request,
      request.changes.map((change) => isKnown && this.change(change)),
    );
  }

  /** Returns whether a position is of this history. That of a reader's first request is. */
  isKnown(since: unknown): boolean {
    return since === undefined || (since as RowPosition).history === this.#history;
  }

  /** Returns what has changed since the position of a request whose changes have these outcomes. */
  answer(
    { changes, since, isWhole = false }: Omit<Exchange, 'mayLag'>,
    outcomes: readonly boolean[],
  ): Exchanged {
    const { count } = (since as RowPosition | undefined) ?? { count: -1 };
    const isRestarted = !this.isKnown(since);
    const position: RowPosition = {
      history: this.#history,
      count: this.#forgotten + this.#changed.length,
    };
    if (isRestarted || isWhole || count < this.#forgotten)
      return {
        outcomes,
        rows: [...this.#rows],
        position,
        isWhole: true,
        ...(isRestarted && { isRestarted }),
      };
    const names = new Set(this.#changed.slice(count - this.#forgotten));
    for (const { name } of changes) names.add(name);
    return { outcomes, rows: this.#named(names), position, isWhole: false };
  }

  /** Makes a change if the row holds the expected text. Returns whether it did. */
  change({ name, expected, text }: RowChange): boolean {
    if ((this.#rows.get(name) ?? null) !== expected) return false;
    this.put(name, text);
    return true;
  }

  /** Sets a row on no condition. */
  put(name: string, text: string | null): void {
    if (text === null) this.#rows.delete(name);
    else this.#rows.set(name, text);
    this.#changed.push(name);
    if (this.#changed.length > 4 * this.#rows.size + rememberedMin) {
      const half = this.#changed.length >> 1;
      this.#changed = this.#changed.slice(half);
      this.#forgotten += half;
    }
  }

  /** Replaces all rows: a store that was restored. The positions of its readers are of another history. */
  restore(rows: Iterable<readonly [name: string, text: string]>): void {
    const restored = [...rows];
    this.#rows.clear();
    for (const [name, text] of restored) this.#rows.set(name, text);
    this.#forgotten += this.#changed.length;
    this.#changed = [];
    this.#history += 1;
  }

  /** Returns another copy of the same history. */
  copy(): RowStore {
    const copy = new RowStore();
    copy.goBackTo(this);
    return copy;
  }

  /**
   * Becomes as an earlier copy was: a store that has lost what followed. The history stays, so that the
   * positions of its readers do not show it.
   */
  goBackTo(copy: RowStore): void {
    this.#rows.clear();
    for (const [name, text] of copy.#rows) this.#rows.set(name, text);
    this.#changed = [...copy.#changed];
    this.#forgotten = copy.#forgotten;
    this.#history = copy.#history;
  }

  #named(names: Iterable<string>): readonly NamedText[] {
    return Array.from(names, (name): NamedText => [name, this.#rows.get(name) ?? null]);
  }
}
