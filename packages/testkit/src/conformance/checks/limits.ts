// Conformance checks of members that lead at most a number of partitions (M13).
import type { LeadershipSource } from '@leadership/core';
import type { Check } from '../check.ts';
import type { CheckContext } from '../check-context.ts';
import { defineCheck } from '../define-check.ts';
import { Unsafe } from '../failure.ts';
import { recorded } from '../recorded.ts';

const partitions = 3;

/** M13: with `partitionsMax: 1`, as many members lead as there are partitions. */
export const limitsAreKept: Check = defineCheck({
  id: 'limits-are-kept',
  title:
    'A member never leads more partitions than its `campaign.partitionsMax`, not for a moment: others lead the rest, take over when one closes, and if too few stand, `leaderless` says how many (M13)',
  needs: ['limits'],
  async run(context) {
    const open = (member: string): LeadershipSource =>
      context.open(member, { partitions, campaign: { partitionsMax: 1 } });
    const [a, b, c, d] = [open('a'), open('b'), open('c'), open('d')];
    const all = [a, b, c, d];
    const seen = all.map(({ held$ }) => recorded(held$));
    await led(context, all, partitions);
    for (const leading of [a, b]) {
      await context.settled('a member closes', leading.close());
      const rest = all.slice(all.indexOf(leading) + 1);
      await led(context, rest, Math.min(partitions, rest.length));
    }
    await context.until('c says that too few members stand', () => {
      for (const { values } of seen) for (const held of values) assertOne(held.size);
      return c
        .health()
        .troubles.some(
          ({ code, message }) => code === 'leaderless' && message.includes('2 members stand'),
        );
    });
    const e = open('e');
    await led(context, [c, d, e], partitions);
    await context.until('c says nothing more', () =>
      c.health().troubles.every(({ code }) => code !== 'leaderless'),
    );
    for (const { values } of seen) for (const held of values) assertOne(held.size);
    for (const one of seen) one[Symbol.dispose]();
  },
});

function assertOne(share: number): void {
  if (share > 1) throw new Unsafe(`a member led ${share} partitions, and may lead 1`);
}

/** Waits until that number of partitions is led, by the same number of members. */
async function led(
  context: CheckContext,
  members: readonly LeadershipSource[],
  count: number,
): Promise<void> {
  await context.until(`${count} of ${members.length} members lead one partition each`, () => {
    const shares = members.map((member) => member.held().size);
    for (const share of shares) assertOne(share);
    return shares.reduce((sum, share) => sum + share) === count && Math.max(...shares) === 1;
  });
}
