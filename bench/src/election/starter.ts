// How the benchmarks of fail-overs and hand-overs start a member, ours or that of another
// implementation.
import type { SpawnedMember } from '@leadership/testkit/faults';
import {
  type MemberOptions,
  type OpenBackend,
  type Peer,
  startMember,
} from '../backends/backend.ts';

/** Starts members of one group. `removed`: the member that the new one replaces. */
export type Starter = (removed?: SpawnedMember) => Promise<SpawnedMember>;

/** The options that all members of a group share. */
export type GroupOptions = Omit<MemberOptions, 'member'>;

/**
 * Starts members of our implementation. If the group lists its members, a new one takes the name of
 * the removed one.
 */
export function ours(
  open: OpenBackend,
  group: GroupOptions,
  env?: Readonly<Record<string, string>>,
): Starter {
  const names = newNames(open);
  return (removed) => {
    const member = open.names === undefined ? names() : (removed?.member ?? names());
    return startMember(open, { ...group, member }, env);
  };
}

/** Starts members of another implementation. */
export function theirs({ start }: Peer, group: GroupOptions): Starter {
  const names = newNames({});
  return () => start({ ...group, member: names() });
}

function newNames({ names }: Pick<OpenBackend, 'names'>): () => string {
  let count = 0;
  return () => {
    count += 1;
    return names?.[count - 1] ?? `m${count}`;
  };
}
