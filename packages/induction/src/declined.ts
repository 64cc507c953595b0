// Collects the partitions that the coordinator should not assign to this member, because it
// resigned.

/** The partitions that a member asks the coordinator not to assign to it. */
export interface DeclinedPartitions {
  /** Sets whether the member gave up the partition for a while. */
  givenUp(partition: number, on: boolean): void;
  /** Sets whether the member is not a candidate for the partition. */
  notStanding(partition: number, on: boolean): void;
}

/** Creates an empty set. `changed` receives all of its partitions whenever they may have changed. */
export function declinedPartitions(
  changed: (partitions: ReadonlySet<number>) => void,
): DeclinedPartitions {
  const gaveUp = new Set<number>();
  const idle = new Set<number>();
  const marking = (set: Set<number>) => (partition: number, on: boolean) => {
    if (on) set.add(partition);
    else set.delete(partition);
    changed(new Set([...gaveUp, ...idle]));
  };
  return { givenUp: marking(gaveUp), notStanding: marking(idle) };
}
