/** The values in one chunk. A change copies one chunk and the list of chunks, instead of everything. */
const chunkSize = 128;

type Chunk<Value> = readonly (Value | undefined)[];

/**
 * An immutable map by partition, in the order of the partitions. Maps that differ little share most
 * of their content: with ten thousand partitions, a stream could not emit a copy for each change. It
 * is a `Map` for programs that ask. `JSON.stringify` converts it to an object with the partitions as
 * keys.
 */
export class PartitionMap<Value> extends Map<number, Value> {
  readonly #size: number;
  readonly #chunks: readonly (Chunk<Value> | undefined)[];

  constructor(size = 0, chunks: readonly (Chunk<Value> | undefined)[] = []) {
    super();
    this.#size = size;
    this.#chunks = chunks;
  }

  override get size(): number {
    return this.#size;
  }

  override get(partition: number): Value | undefined {
    return this.#chunks[Math.floor(partition / chunkSize)]?.[partition % chunkSize];
  }

  override has(partition: number): boolean {
    return this.get(partition) !== undefined;
  }

  /**
   * Returns the map in which these partitions have the values that `valueIn` returns; `undefined`
   * removes one. Returns this map if no value differs.
   */
  updated(
    partitions: readonly number[],
    valueIn: (partition: number) => Value | undefined,
    isSame: (a: Value | undefined, b: Value | undefined) => boolean = Object.is,
  ): PartitionMap<Value> {
    let { size } = this;
    let chunks: (Chunk<Value> | undefined)[] | undefined;
    const copies = new Map<number, (Value | undefined)[]>();
    for (const partition of partitions) {
      const at = Math.floor(partition / chunkSize);
      const copy = copies.get(at);
      const before = (copy ?? this.#chunks[at])?.[partition % chunkSize];
      const value = valueIn(partition);
      if (isSame(before, value)) continue;
      size += Number(value !== undefined) - Number(before !== undefined);
      chunks ??= [...this.#chunks];
      const changed = copy ?? [...(chunks[at] ?? [])];
      changed[partition % chunkSize] = value;
      chunks[at] = changed;
      copies.set(at, changed);
    }
    return chunks === undefined ? this : new PartitionMap(size, chunks);
  }

  /** Returns whether another map has the same values. Compares only what the two do not share. */
  equals(
    other: PartitionMap<Value>,
    isSame: (a: Value | undefined, b: Value | undefined) => boolean = Object.is,
  ): boolean {
    if (this.size !== other.size) return false;
    return this.#chunks.every((chunk = [], at) => {
      const others = other.#chunks[at] ?? [];
      return chunk === others || chunk.every((value, index) => isSame(value, others[index]));
    });
  }

  override forEach(
    callback: (value: Value, partition: number, map: Map<number, Value>) => void,
  ): void {
    for (const [partition, value] of this) callback(value, partition, this);
  }

  override *[Symbol.iterator](): MapIterator<[number, Value]> {
    for (const [at, chunk = []] of this.#chunks.entries())
      for (const [index, value] of chunk.entries())
        if (value !== undefined) yield [at * chunkSize + index, value];
  }

  override entries(): MapIterator<[number, Value]> {
    return this[Symbol.iterator]();
  }

  override *keys(): MapIterator<number> {
    for (const [partition] of this) yield partition;
  }

  override *values(): MapIterator<Value> {
    for (const [, value] of this) yield value;
  }

  toJSON(): Readonly<Record<string, Value>> {
    return Object.fromEntries(this);
  }
}

// Shown in `console.log` like every map.
Object.defineProperty(PartitionMap.prototype, Symbol.for('nodejs.util.inspect.custom'), {
  value(this: PartitionMap<unknown>): ReadonlyMap<number, unknown> {
    return new Map(this);
  },
});
