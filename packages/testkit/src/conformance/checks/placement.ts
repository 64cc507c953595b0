// Conformance checks of how partitions are spread over members.
import type { LeadershipSource } from '@leadership/core';
import type { Check } from '../check.ts';
import type { CheckContext } from '../check-context.ts';
import { defineCheck } from '../define-check.ts';
import { Inconclusive } from '../failure.ts';

const partitions = 16;

/** L9, I8: minimal movement of partitions. */
export const minimalDisturbance: Check = defineCheck({
  id: 'minimal-disturbance',
  title:
    'When a member joins or leaves, only the partitions that must move change leaders; all other terms continue (L9)',
  // Five members with sixteen partitions each would starve the other members of their process.
  alone: true,
  // Where two lead for good, partitions are spread twice.
  appliesTo: ({ overlapMsMax }) => overlapMsMax !== 'unbounded',
  async run(context) {
    const four = ['a', 'b', 'c', 'd'].map((member) => context.open(member, { partitions }));
    await spread(context, four);
    const before = ownersOf(four);
    const fifth = context.open('e', { partitions });
    const five = [...four, fifth];
    await spread(context, five);
    const joined = ownersOf(five);
    const moved = new Set(fifth.held().keys());
    assertUnmoved(before, joined, moved, 'joined');
    await context.settled('the fifth member closes', fifth.close());
    await spread(context, four);
    assertUnmoved(joined, ownersOf(four), moved, 'left');
  },
});

type Owners = ReadonlyMap<number, string>;

/** Waits until each member leads its share, give or take one. */
async function spread(context: CheckContext, members: readonly LeadershipSource[]): Promise<void> {
  const least = Math.floor(partitions / members.length);
  const most = Math.ceil(partitions / members.length);
  await context.until(`${partitions} partitions are spread over ${members.length} members`, () => {
    const counts = members.map((member) => member.held().size);
    return (
      counts.every((count) => count >= least && count <= most) &&
      counts.reduce((sum, count) => sum + count) === partitions
    );
  });
}

function ownersOf(members: readonly LeadershipSource[]): Owners {
  const owners = new Map<number, string>();
  for (const source of members)
    for (const [partition, { token }] of source.held())
      owners.set(partition, `${source.member} in term ${token}`);
  return owners;
}

function assertUnmoved(
  before: Owners,
  after: Owners,
  moved: ReadonlySet<number>,
  what: string,
): void {
  if (after.size < partitions) throw new Inconclusive(`only ${after.size} partitions are led`);
  for (const [partition, owner] of before) {
    const now = after.get(partition);
    if (!moved.has(partition) && now !== owner) {
      throw new Inconclusive(
        `partition ${partition} did not have to move when a member ${what}, but went from ${owner} to ${now}`,
      );
    }
  }
}
