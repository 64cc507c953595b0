// Finds the member that leads now, for the faults of a soak test.
import type { MemberEvent } from '@leadership/testkit/faults';

/**
 * Returns the partitions that a member leads at `nowNs`, according to the leases in its own events.
 */
export function ledNow(events: readonly MemberEvent[], nowNs: bigint): readonly number[] {
  const until = new Map<number, bigint>();
  for (const { kind, partition, untilNs } of events) {
    if (partition === undefined) continue;
    if (untilNs !== undefined) until.set(partition, untilNs);
    if (kind === 'released' || kind === 'fenced') until.delete(partition);
  }
  return [...until].filter(([, untilNs]) => untilNs > nowNs).map(([partition]) => partition);
}
