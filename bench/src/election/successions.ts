// Takes the lead from the leader of a group repeatedly, and measures the time until another member
// leads. A new member replaces a leader that was removed.
import type { SpawnedMember } from '@leadership/testkit/faults';
import { msBetween } from '../measure/ms-between.ts';
import { nextLeaderNs, restUntilOneLeads, type Watched } from './members.ts';

/** A group, and how the benchmark acts on it. */
export interface Group<M extends Watched> {
  /** The number of members. */
  readonly members: number;
  /** Starts one more member, in place of a removed one if there is one. Resolves once it is ready. */
  start(removed?: M): Promise<M>;
  /** Pauses before each outage. */
  rest(): Promise<unknown>;
  /** Takes the lead from the leader. Resolves with the instant at which the outage begins. */
  remove(leader: M): Promise<bigint>;
  /** Whether the leader remains a member, as one that resigns. Default: it is killed and replaced. */
  readonly leaderStays?: boolean;
}

/** Yields the duration of one outage after the other, in milliseconds, until the consumer stops. */
export async function* successions<M extends Watched>(
  group: Group<M>,
): AsyncGenerator<number, void> {
  const members: M[] = [];
  try {
    while (members.length < group.members) members.push(await group.start());
    for (;;) {
      const leader = await restUntilOneLeads(members, group.rest);
      const others = members.filter((member) => member !== leader);
      yield await outage(group, leader, others);
      if (!group.leaderStays) members[members.indexOf(leader)] = await group.start(leader);
    }
  } finally {
    await Promise.all(members.map((member) => member.kill()));
  }
}

async function outage<M extends Watched>(
  group: Group<M>,
  leader: M,
  others: readonly M[],
): Promise<number> {
  const led = nextLeaderNs(others, process.hrtime.bigint());
  led.catch(() => undefined);
  try {
    return msBetween(await group.remove(leader), await led);
  } finally {
    if (!group.leaderStays) await leader.kill();
  }
}

/** Kills the leader with SIGKILL. Resolves with the instant just before. */
export function crash(leader: Pick<Watched, 'kill'>): Promise<bigint> {
  const killedNs = process.hrtime.bigint();
  void leader.kill();
  return Promise.resolve(killedNs);
}

/** Lets the leader resign, which has no work to drain. */
export async function resign(leader: Watched): Promise<bigint> {
  const sinceNs = process.hrtime.bigint();
  leader.resign(0);
  return (await leader.until(({ kind, atNs }) => kind === 'resigning' && atNs > sinceNs)).atNs;
}

/** Closes the leader, for an implementation that hands over in no other way. */
export async function close(leader: SpawnedMember): Promise<bigint> {
  const closed = leader.close();
  const closing = leader.until(({ kind }) => kind === 'resigning');
  closed.catch(() => undefined);
  return (await closing).atNs;
}
