// The ring of an epoch's members, turned by the partition, so that different partitions have different first members (N9).

/** How far `index` is from the first member of the partition's ring. */
export function placeInRing(index: number, partition: number, count: number): number {
  return (index - (partition % count) + count) % count;
}

/** Whether `a` comes after `b` in the partition's ring. */
export function isAfterInRing(a: number, b: number, partition: number, count: number): boolean {
  return placeInRing(a, partition, count) > placeInRing(b, partition, count);
}
