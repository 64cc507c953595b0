import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  electorateOf,
  faultInEpoch,
  meetsEveryQuorum,
  type QuorumSpec,
} from '../../src/protocol.ts';
import { epochOf } from '../support/test-members.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f'];

/** Whether any two quorums share a voter, checked with every pair of sets. */
function intersects({ quorums, all }: ReturnType<typeof electorateOf>): boolean {
  for (let members = 0; members <= all; members += 1)
    if (quorums.holds(members) && quorums.holds(all & ~members)) return false;
  return true;
}

const someNames = fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 });
const specs: fc.Arbitrary<QuorumSpec> = fc.oneof(
  fc.constant<QuorumSpec>({ kind: 'majority' }),
  fc
    .record({
      weights: fc.dictionary(fc.constantFrom(...names), fc.integer({ min: 0, max: 4 })),
      need: fc.integer({ min: 1, max: 12 }),
    })
    .map(({ weights, need }): QuorumSpec => ({ kind: 'weights', weights, need })),
  fc
    .dictionary(fc.constantFrom(...names), fc.integer({ min: 0, max: 4 }))
    .map((weights): QuorumSpec => ({ kind: 'weights', weights })),
  fc
    .array(someNames, { minLength: 1, maxLength: 4 })
    .map((sets): QuorumSpec => ({ kind: 'sets', sets })),
  fc
    .array(someNames, { minLength: 1, maxLength: 3 })
    .map((rows): QuorumSpec => ({ kind: 'grid', rows })),
);

describe('a quorum system', () => {
  test('that is accepted has no two quorums without a common voter (N2)', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), specs, (count, spec) => {
        const epoch = epochOf(names.slice(0, count), spec);
        fc.pre(faultInEpoch(epoch) === undefined);
        expect(intersects(electorateOf(epoch))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test('in which two quorums share no voter is refused, whatever its kind', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), specs, (count, spec) => {
        const epoch = epochOf(names.slice(0, count), spec);
        const members = new Set(names.slice(0, count));
        const knowsAll =
          spec.kind === 'majority' || namesIn(spec).every((name) => members.has(name));
        fc.pre(knowsAll && !intersects(electorateOf(epoch)));
        expect(faultInEpoch(epoch)).toBeDefined();
      }),
      { numRuns: 2000 },
    );
  });

  test('is met by exactly the sets that share a voter with each quorum (N16)', () => {
    const { quorums } = electorateOf(epochOf(names.slice(0, 5)));
    expect(meetsEveryQuorum(quorums, 0b00111)).toBe(true);
    expect(meetsEveryQuorum(quorums, 0b00011)).toBe(false);
  });

  test.each<readonly [string, QuorumSpec, string]>([
    [
      'a need of half the total weight',
      { kind: 'weights', weights: { a: 1, b: 1, c: 1, d: 1 }, need: 2 },
      'need must exceed half of the total weight 4',
    ],
    [
      'two of four',
      {
        kind: 'sets',
        sets: [
          ['a', 'b'],
          ['c', 'd'],
        ],
      },
      'the quorums {a, b} and {c, d} share no voter',
    ],
    [
      'a need above the total weight',
      { kind: 'weights', weights: {}, need: 5 },
      'a quorum needs weight 5, but all voters together weigh 4',
    ],
    ['a stranger', { kind: 'sets', sets: [['a', 'z']] }, 'quorums name "z", which is not a voter'],
    [
      'a voter in two rows',
      {
        kind: 'grid',
        rows: [
          ['a', 'b'],
          ['b', 'c'],
        ],
      },
      'the grid names "b" twice',
    ],
    [
      'negative weights',
      { kind: 'weights', weights: { a: -1 } },
      'a weight of -1 must be a whole number of at least 0',
    ],
    [
      'weights that cannot be added exactly',
      { kind: 'weights', weights: { a: 0.1 } },
      'a weight of 0.1 must be a whole number of at least 0',
    ],
    [
      'weights whose sum is too great',
      { kind: 'weights', weights: { a: 2 ** 52 } },
      `the weights add up to ${2 ** 52 + 3}, which is more than can be added exactly`,
    ],
  ])('reports the fault of %s', (_what, spec, words) => {
    expect(faultInEpoch(epochOf(['a', 'b', 'c', 'd'], spec))).toContain(words);
  });

  test.each([
    ['no members', [], 'an epoch has 1 to 31 members, not 0'],
    ['one name twice', ['a', 'b', 'a'], '"a" is a member twice'],
    [
      'too many',
      Array.from({ length: 32 }, (_, index) => `m${index}`),
      'an epoch has 1 to 31 members, not 32',
    ],
  ])('is not made of %s', (_what, members, words) => {
    expect(faultInEpoch(epochOf(members))).toContain(words);
  });
});

function namesIn(spec: QuorumSpec): readonly string[] {
  if (spec.kind === 'weights') return Object.keys(spec.weights);
  return spec.kind === 'majority' ? [] : (spec.kind === 'grid' ? spec.rows : spec.sets).flat();
}
