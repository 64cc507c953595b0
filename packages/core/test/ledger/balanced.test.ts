import { describe, expect, it } from 'vitest';
import { latestValue } from '../../src/async/latest-value.ts';
import { balanced } from '../../src/ledger/balanced.ts';
import type { Placement, Presence, Ranks } from '../../src/ledger/placement.ts';
import { manualClock } from '../support/manual-clock.ts';

const backOff = { firstMs: 10, lastMs: 100, random: () => 0.5 };

function placed(presence: Partial<Presence>, partitions = 2): Placement {
  const nobody: Presence = {
    announce: (signal) => new Promise((gone) => signal.addEventListener('abort', () => gone())),
    present: latestValue<string[]>().follow,
  };
  return balanced(
    { ...nobody, ...presence },
    { incarnation: 'me', partitions, clock: manualClock(), backOff },
  );
}

async function first(placement: Placement): Promise<ReadonlyMap<number, Ranks>> {
  for await (const ranks of placement.ranks(new AbortController().signal)) return ranks;
  throw new Error('no ranks');
}

describe('a balanced placement (L9)', () => {
  it('counts this member while it campaigns, whether or not other members see it yet', async () => {
    const placement = placed({ present: latestValue<readonly string[]>(['other']).follow });
    placement.setCandidate(true);
    expect([...(await first(placement)).values()].every((ranks) => ranks.indexOf('me') >= 0)).toBe(
      true,
    );
  });

  it('does not list this member while it does not campaign, even if other members still see it', async () => {
    const placement = placed({ present: latestValue<readonly string[]>(['me', 'other']).follow });
    for (const ranks of (await first(placement)).values())
      expect([0, 1].map((index) => ranks.at(index))).toEqual(['other', undefined]);
  });

  it('computes one ranking for many simultaneous changes', async () => {
    const placement = placed({ present: latestValue<readonly string[]>([]).follow });
    placement.setCandidate(true);
    for (let partition = 0; partition < 100; partition += 1)
      placement.holders(new Map([[0, { incarnation: 'me', token: 1n }]]));
    const stop = new AbortController();
    let count = 0;
    for await (const _ of placement.ranks(stop.signal)) {
      count += 1;
      setImmediate(() => stop.abort());
    }
    expect(count).toBe(1);
  });

  it('rejects its reader when presence fails, and continues when it is read again', async () => {
    const broken = new Error('no presence');
    let tries = 0;
    const present = latestValue<readonly string[]>(['other']);
    const placement = placed({
      present(signal) {
        tries += 1;
        if (tries === 1) throw broken;
        return present.follow(signal);
      },
    });
    await expect(first(placement)).rejects.toBe(broken);
    expect((await first(placement)).get(0)?.at(0)).toBe('other');
  });

  it('rejects its reader when this member cannot be announced', async () => {
    const broken = new Error('read-only');
    const placement = placed({ announce: () => Promise.reject(broken) });
    placement.setCandidate(true);
    const reported = async (): Promise<void> => {
      for await (const _ of placement.ranks(new AbortController().signal));
    };
    await expect(reported()).rejects.toBe(broken);
  });

  it('yields nothing before the members are known: a member that ranked itself first everywhere would claim the share of the others', async () => {
    const present = latestValue<readonly string[]>();
    const placement = placed({ present: present.follow });
    placement.setCandidate(true);
    placement.holders(new Map([[0, { incarnation: 'other', token: 1n }]]));
    const reported: ReadonlyMap<number, Ranks>[] = [];
    const stop = new AbortController();
    const following = (async () => {
      for await (const ranks of placement.ranks(stop.signal)) reported.push(ranks);
    })();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(reported).toEqual([]);
    present.set(['me', 'other']);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(reported.map((ranks) => [...ranks.values()].map((order) => order.at(0)))).toEqual([
      ['other', 'me'],
    ]);
    stop.abort();
    await following;
  });

  it('yields only the partitions whose preferred member changed', async () => {
    const placement = placed(
      { present: latestValue<readonly string[]>(['me', 'other']).follow },
      4,
    );
    placement.setCandidate(true);
    const stop = new AbortController();
    const reported: number[][] = [];
    for await (const ranks of placement.ranks(stop.signal)) {
      reported.push([...ranks.keys()].sort());
      if (reported.length > 1) stop.abort();
      // The first move was planned, so there is nothing to report.
      setTimeout(() => placement.holders(new Map([[1, { incarnation: 'me', token: 1n }]])), 1);
      setTimeout(
        () =>
          placement.holders(
            new Map([2, 3].map((held) => [held, { incarnation: 'me', token: 2n }])),
          ),
        20,
      );
    }
    expect(reported).toEqual([
      [0, 1, 2, 3],
      [0, 2],
    ]);
  });
});
