import type { GroupMember } from '../contract/member.ts';

/** Returns the names of the roles that members publish, by partition, in alphabetical order. */
export function publishedRoles(
  members: readonly GroupMember[],
): ReadonlyMap<number, readonly string[]> {
  const byPartition = new Map<number, readonly string[]>();
  const all = new Map(members.flatMap(({ roles }) => Object.entries(roles)));
  for (const name of [...all.keys()].sort()) {
    const partition = all.get(name) ?? 0;
    byPartition.set(partition, [...(byPartition.get(partition) ?? []), name]);
  }
  return byPartition;
}
