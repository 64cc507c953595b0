/**
 * A member's report about one of its terms. Instants are nanoseconds on the host's monotonic clock,
 * as text.
 */
export interface TermMessage {
  readonly kind: 'began' | 'ended';
  readonly member: string;
  readonly partition: number;
  readonly atNs: string;
}

/** The leaders of a group's partitions, as its members reported them, and the number of terms. */
export interface TermLog {
  take(update: TermMessage): void;
  /** Whether each partition has one leader, and no member leads more than its share. */
  readonly isShared: boolean;
  /** The number of partitions that have a leader. */
  readonly led: number;
  /** The number of terms beyond the first of each partition. */
  readonly needless: number;
  /** The instant at which a term last began or ended. */
  readonly changedNs: bigint;
}

/** Returns the empty log of a group. */
export function termLogOf({
  partitions,
  members,
}: {
  readonly partitions: number;
  readonly members: number;
}): TermLog {
  const leaders = new Map<number, Set<string>>();
  let terms = 0;
  let changedNs = 0n;
  const share = Math.ceil(partitions / members);
  return {
    take({ kind, member, partition, atNs }) {
      const among = leaders.get(partition) ?? new Set();
      leaders.set(partition, among);
      if (kind === 'began') {
        terms += 1;
        among.add(member);
      } else among.delete(member);
      // Members are processes: their reports may arrive out of order.
      const at = BigInt(atNs);
      if (at > changedNs) changedNs = at;
    },
    get isShared() {
      const held = new Map<string, number>();
      for (const among of leaders.values()) {
        if (among.size !== 1) return false;
        for (const member of among) held.set(member, (held.get(member) ?? 0) + 1);
      }
      return leaders.size === partitions && Math.max(...held.values()) <= share;
    },
    get led() {
      return [...leaders.values()].filter(({ size }) => size > 0).length;
    },
    get needless() {
      return Math.max(0, terms - partitions);
    },
    get changedNs() {
      return changedNs;
    },
  };
}
