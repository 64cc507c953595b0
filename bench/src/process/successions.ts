// Leadership goes from one process to another, again and again, whatever the election: some members contend, the one that leads
// is made to go, and the time runs until another leads. Then a new one takes the place of the one that went.
import { msBetween } from '../measure/ms-between.ts';
import { type Attended, type Contender, heard, joined, soleLeader } from './attended.ts';

/** An election, and what is done to it. */
export interface Election<M extends Contender> {
  /** How many contend. */
  readonly members: number;
  /** Starts one more member. */
  start(): M;
  /** What goes before each outage, with those that do not lead just then. */
  rest(others: readonly M[]): Promise<unknown>;
  /** Makes the leader go. Resolves with the instant that its outage counts from: nanoseconds on the host's monotonic clock. */
  remove(leader: M): Promise<bigint>;
}

/** So often a rest may end without a leader, or with two: a group that was just made finds one within a few. */
const restsMax = 20;

/** How long nobody led, one time after the other, for as long as it is asked. Milliseconds. */
export async function* successions<M extends Contender>(election: Election<M>): AsyncGenerator<number, void> {
  const start = (): M => election.start();
  const members: Attended<M>[] = [];
  try {
    while (members.length < election.members) members.push(await joined(start));
    for (;;) {
      const leader = await restUntilOneLeads(election, members);
      members.splice(members.indexOf(leader), 1);
      yield await outage(election, leader, members);
      members.push(await joined(start));
    }
  } finally {
    await Promise.all(members.map(({ member }) => member.kill()));
  }
}

async function restUntilOneLeads<M extends Contender>(election: Election<M>, members: readonly Attended<M>[]): Promise<Attended<M>> {
  for (let rest = 0; rest < restsMax; rest += 1) {
    await election.rest(members.filter(({ leads }) => !leads).map(({ member }) => member));
    const leader = soleLeader(members);
    if (leader !== undefined) return leader;
  }
  throw new Error(`of ${members.length} members not one came to lead`);
}

async function outage<M extends Contender>(
  election: Election<M>,
  { member: leader }: Attended<M>,
  others: readonly Attended<M>[],
): Promise<number> {
  const members = others.map(({ member }) => member);
  const led = heard(members, 'leading');
  led.catch(() => undefined);
  try {
    return msBetween(await election.remove(leader), await led);
  } finally {
    await leader.kill();
  }
}

/** A crash: SIGKILL, counted from just before it. */
export function crash(leader: Contender): Promise<bigint> {
  const killedNs = process.hrtime.bigint();
  void leader.kill();
  return Promise.resolve(killedNs);
}
