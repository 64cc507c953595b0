// The order in which members try to lead a partition (N9): a ring of the epoch's members, rotated
// by the partition, so that partitions have different first members.

/** The distance of `index` from the first member of the partition's ring. */
export function placeInRing(index: number, partition: number, count: number): number {
  return (index - (partition % count) + count) % count;
}

/** Whether `a` comes after `b` in the partition's ring. */
export function isAfterInRing(a: number, b: number, partition: number, count: number): boolean {
  return placeInRing(a, partition, count) > placeInRing(b, partition, count);
}
