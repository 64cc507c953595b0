// Collects the partitions that the coordinator should not assign to this member, because it
// resigned, because it is not a candidate, or because its beats do not come back.

/** The partitions that a member asks the coordinator not to assign to it. */
export interface DeclinedPartitions {
  /** Whether the beats of this member do not come back on some partition. */
  readonly isUnreturned: boolean;
  /** Sets whether the member gave up the partition for a while. */
  givenUp(partition: number, on: boolean): void;
  /** Sets whether the member is not a candidate for the partition. */
  notStanding(partition: number, on: boolean): void;
  /** Sets whether its beats on the partition do not come back (I9). */
  unreturned(partition: number, on: boolean): void;
  /** Sets the partitions that the coordinator assigned to the member. */
  assigned(partitions: ReadonlySet<number>): void;
}

/** Receives all declined partitions. `isBack`: the beats of this member come back again. */
type Changed = (partitions: ReadonlySet<number>, isBack: boolean) => void;

/**
 * Creates an empty set for a group with that number of partitions. `changed` is called whenever it may
 * have changed.
 */
export function declinedPartitions(count: number, changed: Changed): DeclinedPartitions {
  const [gaveUp, idle, silent] = [new Set<number>(), new Set<number>(), new Set<number>()];
  let own: ReadonlySet<number> = new Set();
  // A member whose beats return nowhere would otherwise be assigned one partition after the other.
  let isMute = false;
  const report = (isBack = false): void =>
    changed(
      new Set(
        isMute ? Array.from({ length: count }, (_, one) => one) : [...gaveUp, ...idle, ...silent],
      ),
      isBack,
    );
  const mark = (set: Set<number>, partition: number, on: boolean): void =>
    void (on ? set.add(partition) : set.delete(partition));
  const returnsNowhere = (): boolean =>
    silent.size > 0 && [...own].every((partition) => silent.has(partition));
  return {
    get isUnreturned() {
      return silent.size > 0;
    },
    givenUp(partition, on) {
      mark(gaveUp, partition, on);
      report();
    },
    notStanding(partition, on) {
      mark(idle, partition, on);
      report();
    },
    unreturned(partition, on) {
      mark(silent, partition, on);
      isMute = on && (isMute || returnsNowhere());
      report(!on);
    },
    assigned(partitions) {
      own = partitions;
      if (isMute || !returnsNowhere()) return;
      isMute = true;
      report();
    },
  };
}
