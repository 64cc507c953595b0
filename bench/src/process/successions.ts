// Removes the leader of a group repeatedly, for any backend, and measures the time until another
// member leads. After each removal, a new member replaces the removed one.
import { msBetween } from '../measure/ms-between.ts';
import {
  instantNs,
  type MemberProcess,
  nextFrom,
  soleLeader,
  startTracked,
  type TrackedMember,
} from './tracked-member.ts';

/** A group, and how the benchmark acts on it. */
export interface Election<M extends MemberProcess> {
  /** The number of members. */
  readonly members: number;
  /** Starts one more member. */
  start(): M;
  /** The pause before each outage. Receives the members that do not lead. */
  rest(others: readonly M[]): Promise<unknown>;
  /**
   * Removes the leader. Resolves with the beginning of the outage, in nanoseconds on the host's
   * monotonic clock.
   */
  remove(leader: M): Promise<bigint>;
}

/**
 * How many pauses may end without exactly one leader. A new group elects one within a few pauses.
 */
const restsMax = 20;

/** Yields the duration of one outage after the other, in milliseconds, until the consumer stops. */
export async function* successions<M extends MemberProcess>(
  election: Election<M>,
): AsyncGenerator<number, void> {
  const start = (): M => election.start();
  const members: TrackedMember<M>[] = [];
  try {
    while (members.length < election.members) members.push(await startTracked(start));
    for (;;) {
      const leader = await restUntilOneLeads(election, members);
      members.splice(members.indexOf(leader), 1);
      yield await outage(election, leader, members);
      members.push(await startTracked(start));
    }
  } finally {
    await Promise.all(members.map(({ member }) => member.kill()));
  }
}

async function restUntilOneLeads<M extends MemberProcess>(
  election: Election<M>,
  members: readonly TrackedMember<M>[],
): Promise<TrackedMember<M>> {
  for (let rest = 0; rest < restsMax; rest += 1) {
    await election.rest(members.filter(({ leads }) => !leads).map(({ member }) => member));
    const leader = soleLeader(members);
    if (leader !== undefined) return leader;
  }
  throw new Error(`none of ${members.length} members began to lead`);
}

async function outage<M extends MemberProcess>(
  election: Election<M>,
  { member: leader }: TrackedMember<M>,
  others: readonly TrackedMember<M>[],
): Promise<number> {
  const members = others.map(({ member }) => member);
  const led = nextFrom(members, 'leading');
  led.catch(() => undefined);
  try {
    return msBetween(await election.remove(leader), instantNs(await led));
  } finally {
    await leader.kill();
  }
}

/** Kills the leader with SIGKILL. Resolves with the instant just before. */
export function crash(leader: MemberProcess): Promise<bigint> {
  const killedNs = process.hrtime.bigint();
  void leader.kill();
  return Promise.resolve(killedNs);
}
