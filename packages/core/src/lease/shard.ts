// Which partition of a group lies in which of its stores (M12): partition p in store p mod L.

/** Returns how many partitions of a group lie in one of its stores. */
export function partitionsIn(index: number, shards: number, partitions: number): number {
  return Math.max(0, Math.ceil((partitions - index) / shards));
}

/** Returns the store of a partition, and its number there. */
export function placeOf(
  partition: number,
  shards: number,
): { readonly index: number; readonly local: number } {
  return { index: partition % shards, local: Math.floor(partition / shards) };
}

/** Returns the partition of the group that has that number in one of its stores. */
export function partitionAt(local: number, index: number, shards: number): number {
  return local * shards + index;
}
