/** A value per partition. `JSON.stringify` makes an object of it, with the partitions as its keys. */
export class PartitionMap<Value> extends Map<number, Value> {
  toJSON(): Readonly<Record<string, Value>> {
    return Object.fromEntries(this);
  }
}
