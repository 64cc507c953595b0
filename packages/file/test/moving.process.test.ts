// A group moves from one directory to another under load, as in a deployment: process by process,
// in three steps. It is judged by the journal of each process on the host's monotonic clock.

import { eventually } from '@leadership/testkit/adapter';
import {
  type MemberEvent,
  type ProcessMember,
  spawnMember,
  termRecordsOf,
  violationsOf,
} from '@leadership/testkit/faults';
import { expect, it } from 'vitest';
import { tempDirectory } from './support/temp-directory.ts';

const partitions = 4;
/** Milliseconds. */
const thresholdMs = 500;
const work = { kind: 'drain', drainMs: 20 } as const;

type Order = 'A' | 'AB' | 'BA' | 'B';

/** Starts a member that leads only while it leads in all of these groups. */
function start(home: string, order: Order, member: string): Promise<ProcessMember> {
  const module = new URL('./support/combined.mjs', import.meta.url);
  for (const group of order)
    module.searchParams.append('of', `file:${encodeURI(home)}/${group}?group=g`);
  return spawnMember({
    url: 'file:unused',
    module: module.href,
    options: { member, partitions, thresholdMs },
    work,
  });
}

/** Returns the member with the latest event on a partition, if that event says that it leads. */
function leaderOf(partition: number, members: readonly ProcessMember[]): ProcessMember | undefined {
  const words = members.flatMap((member) =>
    member.events
      .filter((event) => event.partition === partition && isWord(event))
      .map((event) => ({ member, event })),
  );
  const last = words.sort((a, b) => (a.event.atNs < b.event.atNs ? -1 : 1)).at(-1);
  return last?.event.kind === 'acquired' || last?.event.kind === 'prolonged'
    ? last.member
    : undefined;
}

function isWord({ kind }: MemberEvent): boolean {
  return ['acquired', 'prolonged', 'revoked', 'released', 'fenced'].includes(kind);
}

it('moves to another directory with one leader at a time and growing tokens, while members are killed and stopped (I7)', async () => {
  await using home = await tempDirectory();
  const all: ProcessMember[] = [];
  let count = 0;
  const join = async (order: Order): Promise<ProcessMember> => {
    count += 1;
    const member = await start(home.path, order, `${order}-${count}`);
    all.push(member);
    return member;
  };
  const ledBy = (members: readonly ProcessMember[]): Promise<true> =>
    eventually(`${members.map(({ member }) => member)} lead all partitions`, () =>
      [...Array(partitions).keys()].every((partition) =>
        members.includes(leaderOf(partition, all) as ProcessMember),
      ),
    );
  try {
    let members: readonly ProcessMember[] = await Promise.all([join('A'), join('A'), join('A')]);
    await ledBy(members);
    for (const order of ['AB', 'BA', 'B'] as const) {
      const [closed, killed, stopped] = members;
      const next = [await join(order)];
      await closed?.close();
      next.push(await join(order));
      await killed?.kill();
      // This member resumes long after the step is over.
      stopped?.pause();
      next.push(await join(order));
      await ledBy(next);
      stopped?.resume();
      await stopped?.close();
      members = next;
    }
    const terms = termRecordsOf(all.flatMap(({ events }) => events));
    expect(violationsOf(terms)).toEqual([]);
    for (const order of ['A-', 'AB-', 'BA-', 'B-'])
      expect(terms.some(({ member }) => member.startsWith(order))).toBe(true);
  } finally {
    await Promise.all(all.map((member) => member.kill()));
  }
});
