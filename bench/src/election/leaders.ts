// The leaders of all partitions of a group of member processes, by the events that these have
// logged. The benchmarks `join` and `settle` wait for them.
import { setTimeout as pause } from 'node:timers/promises';
import type { MemberEvent } from '@leadership/testkit/faults';
import type { GroupSize } from '../backends/backend.ts';
import { msBetween } from '../measure/ms-between.ts';

/** A process with one member, or several. */
type Logged = { readonly events: readonly MemberEvent[] };

/** The leaders of a group, and how they changed. */
export interface Leaders {
  /** The number of partitions that each leader leads. */
  readonly counts: readonly number[];
  /** The number of partitions that have exactly one leader, and that have any. */
  readonly single: number;
  readonly led: number;
  /** The number of terms that have begun, and that have been fenced. */
  readonly terms: number;
  readonly fenced: number;
  /** How long each partition that changed hands had no leader. Milliseconds. */
  readonly gapsMs: readonly number[];
  /** The instant at which a term last began or ended, on the host's monotonic clock. */
  readonly changedNs: bigint;
}

const changes: ReadonlySet<string> = new Set(['acquired', 'released', 'fenced']);

/**
 * Returns the leaders of a group. Terms and gaps are counted from `sinceNs` on. Members are
 * processes whose events arrive in any order, so the instants of the events count.
 */
export function leadersOf(processes: readonly Logged[], sinceNs = 0n): Leaders {
  const inOrder = processes
    .flatMap(({ events }) => events.filter(({ kind }) => changes.has(kind)))
    .sort((a, b) => Number(a.atNs - b.atNs));
  const partitions = new Map<number, Partition>();
  const gaps = inOrder.map((change) => {
    const { partition: number = 0 } = change;
    const partition = partitions.get(number) ?? { holders: new Set() };
    partitions.set(number, partition);
    return apply(partition, change);
  });
  const recent = inOrder.filter(({ atNs }) => atNs >= sinceNs);
  const all = [...partitions.values()].map(({ holders }) => [...holders]);
  const held = all.flat();
  return {
    counts: [...new Set(held)].map((one) => held.filter((member) => member === one).length),
    single: all.filter(({ length }) => length === 1).length,
    led: all.filter(({ length }) => length > 0).length,
    terms: recent.filter(({ kind }) => kind === 'acquired').length,
    fenced: recent.filter(({ kind }) => kind === 'fenced').length,
    gapsMs: gaps.slice(inOrder.length - recent.length).filter((ms) => ms !== undefined),
    changedNs: inOrder.at(-1)?.atNs ?? 0n,
  };
}

/** The members that lead a partition, and the instant at which it last lost its only one. */
interface Partition {
  readonly holders: Set<string>;
  endedNs?: bigint;
}

/** Applies a change. Returns how long the partition had no leader if that ends. Milliseconds. */
function apply(partition: Partition, { kind, member, atNs }: MemberEvent): number | undefined {
  const { holders, endedNs } = partition;
  if (kind === 'acquired') {
    const isFirst = holders.size === 0;
    holders.add(member);
    return isFirst && endedNs !== undefined ? msBetween(endedNs, atNs) : undefined;
  }
  if (holders.delete(member) && holders.size === 0) partition.endedNs = atNs;
  return undefined;
}

type Shares = Pick<Leaders, 'counts' | 'single'>;

/** Returns whether each partition has one leader, and no member leads more than its share. */
export function isShared({ counts, single }: Shares, { partitions, members }: GroupSize): boolean {
  return single === partitions && Math.max(...counts) <= Math.ceil(partitions / members);
}

/** Returns whether each member leads its share besides. */
export function isEven(leaders: Shares, size: GroupSize): boolean {
  const { partitions, members } = size;
  return (
    isShared(leaders, size) &&
    leaders.counts.length === Math.min(members, partitions) &&
    Math.min(...leaders.counts) >= Math.floor(partitions / members)
  );
}

/** When a group counts as settled. */
export interface Settling {
  /** Whether the leaders are as they should be. */
  isRight(leaders: Leaders): boolean;
  /** How long nothing must have changed. Milliseconds. */
  readonly quietMs: number;
  readonly timeoutMs: number;
}

/**
 * How long a group must be unchanged to count as stable, in multiples of T. A partition changes hands
 * at most once in 2 T (L9).
 */
const stableThresholds = 2.5;
/** The time in which a group has to become stable, in milliseconds. */
const stableMs = 60_000;

/**
 * Resolves once each member leads its share of the partitions and the group is stable. Rejects if
 * that takes longer than a minute.
 */
export async function spread(
  processes: readonly Logged[],
  size: GroupSize,
  thresholdMs: number,
): Promise<void> {
  const settled = await settledLeaders(processes, {
    isRight: (leaders) => isEven(leaders, size),
    quietMs: stableThresholds * thresholdMs,
    timeoutMs: stableMs,
  });
  if (settled === undefined)
    throw new Error(
      `${size.members} members did not spread ${size.partitions} partitions in ${stableMs} ms`,
    );
}

/** The polling interval, in milliseconds. */
const periodMs = 50;

/** Resolves with the leaders once the group has settled, or `undefined` if it does not in time. */
export async function settledLeaders(
  processes: readonly Logged[],
  { isRight, quietMs, timeoutMs }: Settling,
): Promise<Leaders | undefined> {
  const until = performance.now() + timeoutMs;
  while (performance.now() < until) {
    const leaders = leadersOf(processes);
    if (msBetween(leaders.changedNs, process.hrtime.bigint()) >= quietMs && isRight(leaders))
      return leaders;
    await pause(periodMs);
  }
  return undefined;
}
