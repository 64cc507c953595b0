// Sets of members are bits of one whole number: the member at index i of its epoch is bit i. That is what limits an epoch to 31
// members, and what makes a quorum a matter of one comparison.

/** A set of members of one epoch. */
export type Members = number;

/** As many as bitwise operations tell apart. */
export const membersMax = 31;

/** Nobody. */
export const nobody: Members = 0;

/** The set of the member at `index`. */
export function only(index: number): Members {
  return 1 << index;
}

/** The set of the first `count` members. */
export function firstMembers(count: number): Members {
  return count >= membersMax ? 0x7fff_ffff : (1 << count) - 1;
}

/** Whether the member at `index` is in the set. */
export function includes(members: Members, index: number): boolean {
  return index >= 0 && (members & (1 << index)) !== 0;
}

/** How many there are. */
export function sizeOf(members: Members): number {
  let count = 0;
  for (let rest = members; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
