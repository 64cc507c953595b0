import type { Holding } from '../../src/engine/balance.ts';

/**
 * The balance computed from scratch, as in the first release: the model for the incremental one.
 */
export function fullBalance(
  partitions: number,
  members: readonly string[],
  holders: ReadonlyMap<number, Holding>,
): ReadonlyMap<number, readonly string[]> {
  const sorted = [...members].sort();
  const preferred = preferredOf(partitions, sorted, holders);
  const without = new Map(
    [...new Set(preferred)].map((gone) => [
      gone,
      preferredOf(partitions, others(sorted, gone), holders),
    ]),
  );
  return new Map(
    Array.from({ length: partitions }, (_, partition): readonly [number, readonly string[]] => {
      const first = preferred[partition];
      if (first === undefined) return [partition, []];
      const second = without.get(first)?.[partition] ?? first;
      return [partition, [...new Set([first, second, ...rotated(sorted, partition)])]];
    }),
  );
}

/** Returns the preferred member of each partition; no entry for a group without members. */
function preferredOf(
  partitions: number,
  members: readonly string[],
  holders: ReadonlyMap<number, Holding>,
): readonly string[] {
  const held = heldBy(partitions, members, holders);
  const quotas = quotasOf(partitions, held);
  const kept = new Map<number, string>();
  for (const [member, own] of held)
    for (const partition of own.slice(0, quotas.get(member))) kept.set(partition, member);
  const wanting = members.flatMap((member) =>
    Array<string>(shortfall(quotas, held, member)).fill(member),
  );
  let next = 0;
  return Array.from(
    { length: partitions },
    (_, partition) => kept.get(partition) ?? wanting[next++],
  ).filter((member) => member !== undefined);
}

/** Returns the partitions of each member, the oldest terms first. */
function heldBy(
  partitions: number,
  members: readonly string[],
  holders: ReadonlyMap<number, Holding>,
): ReadonlyMap<string, readonly number[]> {
  const held = new Map<string, number[]>(members.map((member) => [member, []]));
  const byAge = [...holders]
    .filter(([partition]) => partition < partitions)
    .sort(([p, a], [q, b]) => Number(a.token - b.token) || p - q);
  for (const [partition, { incarnation }] of byAge) held.get(incarnation)?.push(partition);
  return held;
}

/**
 * The remainder goes first to the members that hold more than a share, because taking it from them
 * would be a needless move, and then by name.
 */
function quotasOf(
  partitions: number,
  held: ReadonlyMap<string, readonly number[]>,
): Map<string, number> {
  const share = Math.floor(partitions / Math.max(1, held.size));
  const extra = partitions % Math.max(1, held.size);
  const richest = [...held]
    .filter(([, own]) => own.length > share)
    .sort(([a, p], [b, q]) => q.length - p.length || (a < b ? -1 : 1));
  const poorer = [...held]
    .filter(([, own]) => own.length <= share)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(
    [...richest, ...poorer].map(([member], index) => [member, share + (index < extra ? 1 : 0)]),
  );
}

function shortfall(
  quotas: ReadonlyMap<string, number>,
  held: ReadonlyMap<string, readonly number[]>,
  member: string,
): number {
  return Math.max(0, (quotas.get(member) ?? 0) - (held.get(member)?.length ?? 0));
}

function others(members: readonly string[], gone: string): readonly string[] {
  return members.filter((member) => member !== gone);
}

/**
 * Returns the members, rotated by the partition, so that partitions without their first two members
 * spread over the others.
 */
function rotated(members: readonly string[], partition: number): readonly string[] {
  const start = partition % members.length;
  return [...members.slice(start), ...members.slice(0, start)];
}
