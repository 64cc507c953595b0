/** A map by partition. `JSON.stringify` converts it to an object with the partitions as keys. */
export class PartitionMap<Value> extends Map<number, Value> {
  toJSON(): Readonly<Record<string, Value>> {
    return Object.fromEntries(this);
  }
}
