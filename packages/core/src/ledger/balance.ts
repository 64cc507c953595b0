import type { Ranks } from './placement.ts';

/**
 * Who should hold what: every member the same number of partitions, give or take one, with as few moves as that takes (L9).
 * Pure, and the same wherever `members` and `holders` are: members agree without talking.
 * @param holders - partition → incarnation; holders that are no members count as nobody
 */
export function balance(partitions: number, members: readonly string[], holders: ReadonlyMap<number, string>): ReadonlyMap<number, Ranks> {
  const sorted = [...members].sort();
  const held = heldBy(partitions, sorted, holders);
  const quotas = quotasOf(partitions, held);
  const preferred = new Map<number, string>();
  for (const [member, own] of held) for (const partition of own.slice(0, quotas.get(member))) preferred.set(partition, member);
  const wanting = sorted.flatMap((member) => Array<string>(shortfall(quotas, held, member)).fill(member));
  const ranks = new Map<number, Ranks>();
  for (let partition = 0, next = 0; partition < partitions; partition += 1) {
    const first = preferred.get(partition) ?? wanting[next++];
    ranks.set(partition, first === undefined ? [] : [first, ...standIns(sorted, first, partition)]);
  }
  return ranks;
}

function heldBy(partitions: number, members: readonly string[], holders: ReadonlyMap<number, string>): Map<string, number[]> {
  const held = new Map<string, number[]>(members.map((member) => [member, []]));
  for (let partition = 0; partition < partitions; partition += 1) held.get(holders.get(partition) ?? '')?.push(partition);
  return held;
}

/** The remainder goes to those that hold the most already: taking it from them would be a move for nothing. */
function quotasOf(partitions: number, held: ReadonlyMap<string, readonly number[]>): Map<string, number> {
  const share = Math.floor(partitions / Math.max(1, held.size));
  const extra = partitions % Math.max(1, held.size);
  const byLoad = [...held].sort(([, a], [, b]) => b.length - a.length);
  return new Map(byLoad.map(([member], index) => [member, share + (index < extra ? 1 : 0)]));
}

function shortfall(quotas: ReadonlyMap<string, number>, held: ReadonlyMap<string, readonly number[]>, member: string): number {
  return Math.max(0, (quotas.get(member) ?? 0) - (held.get(member)?.length ?? 0));
}

/** The others, each partition beginning with another one, so that a dead member's partitions fall to many. */
function standIns(members: readonly string[], first: string, partition: number): readonly string[] {
  const start = partition % members.length;
  return [...members.slice(start), ...members.slice(0, start)].filter((member) => member !== first);
}
