import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anySource, type Combination, everySource } from '../../src/combine/combination.ts';
import { type Life, live } from '../support/combined-life.ts';

/** The events of the sources that make up a combination. */
const of = fc.nat({ max: 2 });
const lives: fc.Arbitrary<Life> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('grant' as const),
        of,
        ms: fc.constantFrom(100, 400, 1000),
        again: fc.boolean(),
        skew: fc.nat({ max: 250 }),
      }),
    },
    fc.record({ kind: fc.constantFrom('lose' as const, 'revoke' as const), of }),
    fc.record({ kind: fc.constant('succeed' as const), of }),
    fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(50, 150, 500) }),
    fc.record({ kind: fc.constant('settle' as const) }),
    fc.record({ kind: fc.constant('resign' as const) }),
  ),
  { maxLength: 40 },
);

/** Grants all three sources, so that the combination leads at all. */
const led: fc.Arbitrary<Life> = fc
  .record({ isFirst: fc.boolean(), some: lives, more: lives })
  .map(({ isFirst, some, more }) => {
    const all: Life = [0, 1, 2].map((part) => ({
      kind: 'grant' as const,
      of: part,
      ms: 1000,
      again: true,
      skew: 0,
    }));
    return isFirst ? [...all, ...some, ...all, ...more] : [...some, ...all, ...more];
  });

describe('for any events in its sources', () => {
  it.each([
    ['anyOf', anySource],
    ['allOf', everySource],
  ] as const)(
    '%s reports their state in every call, releases none before the work that needs it has settled, and ends a resigned term (H2, H5, T3)',
    async (_name, rules) => {
      await fc.assert(
        fc.asyncProperty(led, (life) => live(rules, life)),
        { numRuns: 250 },
      );
    },
  );
});

const tokenOf = (part: Parameters<Combination['token']>[0][number] | undefined): bigint =>
  part?.term?.token ?? 0n;

/** Each rule, replaced by a plausible mutant. */
const mutants: readonly (readonly [string, Combination])[] = [
  ['allOf that leads while any source does', { ...everySource, holds: anySource.holds }],
  ['allOf with the latest deadline', { ...everySource, remainingMs: Math.max }],
  [
    'allOf that releases before the work has drained',
    { ...everySource, mayRelease: ({ isNext }) => isNext },
  ],
  [
    'allOf that releases all sources at once',
    { ...everySource, mayRelease: ({ drained }) => drained },
  ],
  ['allOf that uses a source’s term twice', { ...everySource, usesUp: false }],
  ['allOf that accepts tokens in any order', { ...everySource, fits: () => true }],
  [
    'allOf with the token of the last source',
    { ...everySource, token: (parts) => tokenOf(parts.at(-1)) },
  ],
  ['allOf whose later sources campaign independently', { ...everySource, follows: false }],
  ['anyOf that leads only while all sources do', { ...anySource, holds: everySource.holds }],
  ['anyOf with the earliest deadline', { ...anySource, remainingMs: Math.min }],
  ['anyOf that releases before the work has drained', { ...anySource, mayRelease: () => true }],
  [
    'anyOf that delays a source that it does not need',
    { ...anySource, mayRelease: everySource.mayRelease },
  ],
  ['anyOf whose terms have the same token', { ...anySource, token: ([first]) => tokenOf(first) }],
];

describe('each rule of a combination is needed', () => {
  it.each(mutants)('the properties detect %s', async (_name, rules) => {
    const found = await fc.check(
      fc.asyncProperty(led, (life) => live(rules, life)),
      { numRuns: 1000, seed: 20_261_121, endOnFailure: true },
    );
    expect(found.failed).toBe(true);
    // The run must fail on a violated invariant, not on another error.
    expect(String(found.errorInstance)).toContain('Broken');
  });
});
