import type { LeadershipSource } from '../contract/source.ts';

/** Returns a source as plain data, for logs and status pages. */
export function sourceJson(source: LeadershipSource): Readonly<Record<string, unknown>> {
  const { group, member, partitions, guarantees } = source;
  return {
    group,
    member,
    partitions,
    guarantees,
    health: source.health(),
    held: source.held(),
    roster: source.roster(),
    members: source.members(),
  };
}
