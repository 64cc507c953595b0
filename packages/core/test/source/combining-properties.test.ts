import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anySource, type Combination, everySource } from '../../src/source/combined/combination.ts';
import { type Life, live } from '../support/combined-life.ts';

/** What can happen to the sources of which one is made. */
const of = fc.nat({ max: 2 });
const lives: fc.Arbitrary<Life> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('grant' as const),
        of,
        ms: fc.constantFrom(100, 400, 1000),
        anew: fc.boolean(),
        skew: fc.nat({ max: 250 }),
      }),
    },
    fc.record({ kind: fc.constantFrom('lose' as const, 'revoke' as const), of }),
    fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(50, 150, 500) }),
    fc.record({ kind: fc.constant('settle' as const) }),
    fc.record({ kind: fc.constant('resign' as const) }),
  ),
  { maxLength: 40 },
);

/** A grant to each of the three, so that something is led at all. */
const led: fc.Arbitrary<Life> = fc.record({ isFirst: fc.boolean(), some: lives, more: lives }).map(({ isFirst, some, more }) => {
  const all: Life = [0, 1, 2].map((part) => ({ kind: 'grant' as const, of: part, ms: 1000, anew: true, skew: 0 }));
  return isFirst ? [...all, ...some, ...all, ...more] : [...some, ...all, ...more];
});

describe('whatever happens to its sources', () => {
  it.each([
    ['anyOf', anySource],
    ['allOf', everySource],
  ] as const)(
    '%s tells the truth about them in every call, and lets none go under work that needs it (H2, H5, T3)',
    async (_name, rules) => {
      await fc.assert(
        fc.asyncProperty(led, (life) => live(rules, life)),
        { numRuns: 250 },
      );
    },
  );
});

const tokenOf = (part: Parameters<Combination['token']>[0][number] | undefined): bigint => part?.term?.token ?? 0n;

/** Each rule replaced by something plausible. */
const mutants: readonly (readonly [string, Combination])[] = [
  ['allOf, led while any source is', { ...everySource, holds: anySource.holds }],
  ['allOf, believed as long as the last source is', { ...everySource, remainingMs: Math.max }],
  ['allOf, which lets go before the work has drained', { ...everySource, mayLetGo: ({ isNext }) => isNext }],
  ['allOf, which lets go of all at once', { ...everySource, mayLetGo: ({ drained }) => drained }],
  ['allOf, which begins again with what it began with before', { ...everySource, usesUp: false }],
  ['allOf, which takes tokens in any order', { ...everySource, fits: () => true }],
  ['allOf, numbered by the last source', { ...everySource, token: (parts) => tokenOf(parts.at(-1)) }],
  ['allOf, whose later sources stand by themselves', { ...everySource, follows: false }],
  ['anyOf, led while all sources are', { ...anySource, holds: everySource.holds }],
  ['anyOf, believed as long as the first source is', { ...anySource, remainingMs: Math.min }],
  ['anyOf, which lets go before the work has drained', { ...anySource, mayLetGo: () => true }],
  ['anyOf, which holds up a source that it does not need', { ...anySource, mayLetGo: everySource.mayLetGo }],
  ['anyOf, whose terms have the same token', { ...anySource, token: ([first]) => tokenOf(first) }],
];

describe('each rule of a combination is needed', () => {
  it.each(mutants)('%s, is found out', async (_name, rules) => {
    const found = await fc.check(
      fc.asyncProperty(led, (life) => live(rules, life)),
      { numRuns: 1000, seed: 20_261_121 },
    );
    expect(found.failed).toBe(true);
    // Found out for what it is, not because it fell over.
    expect(String(found.errorInstance)).toContain('Broken');
  });
});
