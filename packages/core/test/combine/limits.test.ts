// The limits of combined sources (M13): one limit of the whole, or a refusal.
import { describe, expect, it } from 'vitest';
import { allOf, anyOf } from '../../src/combine/combine.ts';
import type { SourceOptions } from '../../src/contract/options.ts';
import type { LeadershipSource } from '../../src/contract/source.ts';
import { openLeadership } from '../../src/source/open-leadership.ts';

let groups = 0;

async function open(campaign: NonNullable<SourceOptions['campaign']>): Promise<LeadershipSource> {
  groups += 1;
  return await openLeadership(`memory:limits-${groups}?partitions=3&member=m`, { campaign });
}

async function closing(
  campaigns: readonly NonNullable<SourceOptions['campaign']>[],
  run: (sources: readonly LeadershipSource[]) => unknown,
): Promise<void> {
  const sources = await Promise.all(campaigns.map(open));
  try {
    await run(sources);
  } finally {
    await Promise.all(sources.map((source) => source.close()));
  }
}

describe('combined sources with limits (M13)', () => {
  it.each([
    [[{ partitionsMax: 1 }, { partitionsMax: 1 }]],
    [[{ partitionsMax: 1 }, true]],
    [[{ partitionsMax: 1 }, { partitionsMax: 2 }]],
  ])('allOf leads at most the limit of the first: %j', async (campaigns) => {
    await closing(campaigns, async (sources) => {
      const source = allOf(...sources);
      await expect.poll(() => source.held().size, { timeout: 10_000 }).toBe(1);
      await source.close();
    });
  });

  it('allOf refuses a lower limit in a later source', async () => {
    await closing([true, { partitionsMax: 2 }], (sources) => {
      expect(() => allOf(...sources)).toThrow(
        'allOf() needs the lowest campaign.partitionsMax in its first source, which decides what this member leads: number 2 has 2, number 1 has none; give number 1 that limit, or number 2 none',
      );
    });
  });

  it('anyOf refuses a limit if two sources campaign, and keeps that of a single one', async () => {
    await closing([true, { partitionsMax: 2 }], (sources) => {
      expect(() => anyOf(...sources)).toThrow(
        'anyOf() cannot keep campaign.partitionsMax 2 of number 2: this member leads what it leads in any source, and each counts alone; leave it out, or use one source or allOf()',
      );
    });
    await closing([{ partitionsMax: 2 }, false], async (sources) => {
      const source = anyOf(...sources);
      await expect.poll(() => source.held().size, { timeout: 10_000 }).toBe(2);
      await source.close();
    });
  });
});

describe('a limit in a URL', () => {
  it('is that of the options; an observer may have it too, and a contradiction is refused', async () => {
    const url = 'memory:limit-in-a-url?partitions=3&partitionsMax=2';
    await using source = await openLeadership(url);
    await using observer = await openLeadership(url, { campaign: false });
    await using same = await openLeadership(url, { campaign: { partitionsMax: 2 }, member: 'b' });
    await using candidate = await openLeadership(url, { campaign: true, member: 'c' });
    const shares = (): readonly number[] =>
      [source, same, candidate, observer].map((one) => one.held().size);
    await expect.poll(shares, { timeout: 20_000 }).toEqual([1, 1, 1, 0]);
    await expect(openLeadership(url, { campaign: { partitionsMax: 1 } })).rejects.toThrow(
      'campaign.partitionsMax is 2 in the URL, but 1 in the options',
    );
    await expect(openLeadership(`${url}&campaign=false`, { campaign: true })).rejects.toThrow(
      'campaign is false in the URL, but true in the options',
    );
  });
});
