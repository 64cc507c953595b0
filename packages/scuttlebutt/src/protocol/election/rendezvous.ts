// Picks a candidate for a partition by rendezvous hashing, when no better reason exists: members
// that know the same candidates pick the same one, and a candidate that comes or goes changes no
// other choice.

/** FNV-1a, 32 bits. */
const offset = 0x811c9dc5;
const prime = 0x01000193;

/** Returns the weight of a member in a partition. The candidate of the greatest weight is first. */
export function weightOf(member: string, partition: number): number {
  let hash = offset ^ Math.imul(partition + 1, 0x9e3779b1);
  for (let index = 0; index < member.length; index += 1)
    hash = Math.imul(hash ^ member.charCodeAt(index), prime);
  // The finalizer of murmur3: FNV alone leaves names that end alike in the same order everywhere.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Whether the first member precedes the second one in a partition. */
export function precedes(a: string, b: string, partition: number): boolean {
  const [ofA, ofB] = [weightOf(a, partition), weightOf(b, partition)];
  return ofA > ofB || (ofA === ofB && a < b);
}
