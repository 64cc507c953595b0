// A set of members is the bits of one integer: the member at index i of its epoch is bit i. So an
// epoch has at most 31 members, and a quorum is one comparison.

/** A set of members of one epoch. */
export type Members = number;

/** The number of members that bitwise operations can represent. */
export const membersMax = 31;

/** The empty set. */
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

/** The number of members in the set. */
export function sizeOf(members: Members): number {
  let count = 0;
  for (let rest = members; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
