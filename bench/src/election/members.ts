// The leader of a group of member processes with one partition, by the events that these have
// logged. The benchmarks of fail-overs and hand-overs wait for it.
import type { MemberEvent, SpawnedMember } from '@leadership/testkit/faults';

/** A member whose events are known, and that can be taken away. */
export type Watched = Pick<SpawnedMember, 'events' | 'until' | 'kill' | 'resign'>;

/** The events that end a term. */
const ends: ReadonlySet<string> = new Set(['revoked', 'released', 'fenced', 'closed']);
/**
 * The time to wait for a leader, in milliseconds: several times the longest session timeout that is
 * measured.
 */
const timeoutMs = 60_000;

/** Returns whether the member leads, by its latest event. Only for members with one partition. */
function leads({ events }: Pick<Watched, 'events'>): boolean {
  const last = events.findLast(({ kind }) => kind === 'acquired' || ends.has(kind));
  return last?.kind === 'acquired';
}

/** Returns the leader, or `undefined` unless exactly one member leads. */
export function soleLeader<M extends Watched>(members: readonly M[]): M | undefined {
  const leaders = members.filter(leads);
  return leaders.length === 1 ? leaders[0] : undefined;
}

/** How many pauses may end without exactly one leader. A new group elects one within a few. */
const restsMax = 20;

/** Pauses until exactly one member leads, at least once. Resolves with that member. */
export async function restUntilOneLeads<M extends Watched>(
  members: readonly M[],
  rest: () => Promise<unknown>,
): Promise<M> {
  for (let count = 0; count < restsMax; count += 1) {
    await rest();
    const leader = soleLeader(members);
    if (leader !== undefined) return leader;
  }
  throw new Error(`none of ${members.length} members began to lead`);
}

/**
 * Resolves with the instant at which the first of the members begins to lead after `sinceNs`.
 * Rejects if none does within a minute.
 */
export async function nextLeaderNs(members: readonly Watched[], sinceNs: bigint): Promise<bigint> {
  const isNext = ({ kind, atNs }: MemberEvent): boolean => kind === 'acquired' && atNs > sinceNs;
  const led = await Promise.any(members.map((member) => member.until(isNext, timeoutMs)));
  return led.atNs;
}
