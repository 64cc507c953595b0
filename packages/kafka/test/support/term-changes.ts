import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@leadership/testkit/adapter';
import type { MemberEvent, ProcessMember } from '@leadership/testkit/faults';

/** A term that began or ended. */
export type TermChange = MemberEvent & {
  readonly partition: number;
  readonly kind: 'acquired' | 'released' | 'fenced';
};

/** Every start and end of a term since then, in order. */
export function termChangesSince(
  members: readonly ProcessMember[],
  fromNs = 0n,
): readonly TermChange[] {
  const changes = members
    .flatMap(({ events }) => events.filter(isTermChange))
    .filter(({ atNs }) => atNs > fromNs);
  return changes.sort((a, b) => Number(a.atNs - b.atNs));
}

/**
 * Returns the longest time since then without a prolonged term, while there was one. Milliseconds.
 * Of a single partition.
 */
export function longestSilenceMs(members: readonly ProcessMember[], fromNs: bigint): number {
  const prolonged = members
    .flatMap(({ events }) => events.filter(({ kind }) => kind === 'prolonged'))
    .map(({ atNs }) => atNs)
    .filter((atNs) => atNs > fromNs)
    .sort((a, b) => Number(a - b));
  const ends = [...prolonged, process.hrtime.bigint()];
  const silences = ends.map((atNs, index) => Number(atNs - (prolonged[index - 1] ?? fromNs)) / 1e6);
  return Math.max(...silences);
}

/** Returns the leaders by partition, from the last events. */
export function ledNow(members: readonly ProcessMember[]): ReadonlyMap<number, string> {
  const led = new Map<number, string>();
  for (const { kind, partition, member } of termChangesSince(members)) {
    if (kind === 'acquired') led.set(partition, member);
    else if (led.get(partition) === member) led.delete(partition);
  }
  return led;
}

/**
 * Resolves once that number of partitions is led, evenly by these members, without a change for
 * `quietMs`.
 */
export async function settled(
  members: readonly ProcessMember[],
  partitions: number,
  present: number,
  quietMs: number,
): Promise<void> {
  const isSpread = (): boolean => {
    const leaders = [...ledNow(members).values()];
    const counts = [...new Set(leaders)].map(
      (member) => leaders.filter((leader) => leader === member).length,
    );
    const isEven = counts.every(
      (count) =>
        count <= Math.ceil(partitions / present) && count >= Math.floor(partitions / present),
    );
    return (
      leaders.length === partitions && counts.length === Math.min(partitions, present) && isEven
    );
  };
  for (let count = -1; count !== termChangesSince(members).length; ) {
    await eventually(`${partitions} partitions are spread over ${present} members`, isSpread);
    count = termChangesSince(members).length;
    await pause(quietMs);
  }
}

function isTermChange(event: MemberEvent): event is TermChange {
  return event.kind === 'acquired' || event.kind === 'released' || event.kind === 'fenced';
}
