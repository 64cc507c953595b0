import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Balance, balance, type Holding } from '../../src/engine/balance.ts';
import { fullBalance } from '../support/full-balance.ts';

interface Situation {
  readonly partitions: number;
  readonly members: readonly string[];
  readonly holders: ReadonlyMap<number, Holding>;
}

const situations: fc.Arbitrary<Situation> = fc
  .record({
    partitions: fc.integer({ min: 1, max: 40 }),
    members: fc.integer({ min: 1, max: 9 }),
    held: fc.array(fc.record({ index: fc.nat(12), token: fc.bigInt(0n, 50n) }), { maxLength: 40 }),
  })
  .map(({ partitions, members, held }) => ({
    partitions,
    members: Array.from({ length: members }, (_, index) => `m${index}`),
    // Some holders are dead (m9 and up), some partitions have no holder, and some entries are for
    // partitions that do not exist.
    holders: new Map(
      [...held.entries()].flatMap(([partition, { index, token }]) =>
        index > 11 ? [] : [[partition, { incarnation: `m${index}`, token }]],
      ),
    ),
  }));

const preferredOf = ({ partitions, members, holders }: Situation): string[] =>
  [...balance(partitions, members, holders).values()].map(([first = 'nobody']) => first);

const count = (words: readonly string[], word: string): number =>
  words.filter((each) => each === word).length;

/**
 * Returns how many partitions can stay where they are: each member keeps its quota, and members
 * with more take the remainder.
 */
function mostKept({ partitions, members, holders }: Situation): number {
  const held = members.map(
    (member) =>
      [...holders].filter(
        ([partition, { incarnation }]) => incarnation === member && partition < partitions,
      ).length,
  );
  const share = Math.floor(partitions / members.length);
  const richer = held.filter((mine) => mine > share).length;
  return (
    held.reduce((sum, mine) => sum + Math.min(mine, share), 0) +
    Math.min(richer, partitions % members.length)
  );
}

describe('a balanced placement', () => {
  it('is even: the numbers of partitions for which members are preferred differ by at most one (L9)', () => {
    fc.assert(
      fc.property(situations, (situation) => {
        const counts = situation.members.map((member) => count(preferredOf(situation), member));
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
        expect(counts.reduce((sum, each) => sum + each)).toBe(situation.partitions);
      }),
    );
  });

  it('moves as few partitions as possible (L9)', () => {
    fc.assert(
      fc.property(situations, (situation) => {
        const kept = preferredOf(situation).filter(
          (member, partition) => situation.holders.get(partition)?.incarnation === member,
        ).length;
        expect(kept).toBe(mostKept(situation));
      }),
    );
  });

  it('is even within limits, and leaves what is beyond them to nobody (M13)', () => {
    const limited = fc.tuple(
      situations,
      fc.array(fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }), {
        minLength: 9,
        maxLength: 9,
      }),
    );
    fc.assert(
      fc.property(limited, ([{ partitions, members, holders }, of]) => {
        const limitAt = (index: number): number => of[index] ?? Number.POSITIVE_INFINITY;
        const limits = new Map(
          members.flatMap((member, index) => {
            const limit = of[index];
            return limit === undefined ? [] : [[member, limit] as const];
          }),
        );
        const ranks = balance(partitions, members, holders, limits);
        const preferred = [...ranks.values()].map(([first = 'nobody']) => first);
        const shares = members.map((member) => count(preferred, member));
        const most = members.reduce((sum, _, index) => sum + limitAt(index), 0);
        expect(shares.reduce((sum, share) => sum + share)).toBe(Math.min(partitions, most));
        for (const [index, share] of shares.entries()) {
          expect(share).toBeLessThanOrEqual(limitAt(index));
          if (share < limitAt(index)) expect(Math.max(...shares)).toBeLessThanOrEqual(share + 1);
        }
      }),
    );
  });

  it('depends only on members and holders, and ranks every member once', () => {
    fc.assert(
      fc.property(situations, (situation) => {
        const { partitions, members, holders } = situation;
        const ranks = balance(partitions, members, holders);
        expect(
          balance(partitions, [...members].reverse(), new Map([...holders].reverse())),
        ).toEqual(ranks);
        for (const order of ranks.values()) expect([...order].sort()).toEqual([...members].sort());
      }),
    );
  });

  it('settles after moving each partition at most once, in whatever order the moves happen', () => {
    fc.assert(
      fc.property(situations, fc.infiniteStream(fc.nat()), (situation, choices) => {
        const holders = new Map(situation.holders);
        const moved = new Map<number, number>();
        for (const choice of choices) {
          const wanted = preferredOf({ ...situation, holders });
          const moves = wanted.flatMap((member, partition) =>
            holders.get(partition)?.incarnation === member ? [] : [{ member, partition }],
          );
          const move = moves[choice % Math.max(1, moves.length)];
          if (move === undefined) break;
          holders.set(move.partition, { incarnation: move.member, token: 51n });
          moved.set(move.partition, (moved.get(move.partition) ?? 0) + 1);
        }
        expect(Math.max(0, ...moved.values())).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('of an empty group stays as it is while each member claims what it is preferred for, in whatever order (L9)', () => {
    const empty = situations.map((situation) => ({
      ...situation,
      holders: new Map<number, Holding>(),
    }));
    fc.assert(
      fc.property(empty, fc.infiniteStream(fc.nat()), ({ partitions, members }, picks) => {
        const balanced = new Balance(partitions);
        balanced.members(members);
        balanced.settle();
        const unclaimed = Array.from({ length: partitions }, (_, partition) => partition);
        for (let token = 1n; unclaimed.length > 0; token += 1n) {
          const [partition = 0] = unclaimed.splice((picks.next().value ?? 0) % unclaimed.length, 1);
          balanced.hold(partition, { incarnation: `${balanced.at(partition, 0)}`, token });
          expect(balanced.settle()).toEqual([]);
        }
      }),
    );
  });

  it('spreads the stand-ins for a dead member’s partitions over the other members', () => {
    const ranks = balance(9, ['a', 'b', 'c', 'd'], new Map());
    const seconds = new Set([...ranks.values()].map(([, second]) => second));
    expect(seconds.size).toBeGreaterThan(2);
  });

  it('takes the youngest terms from a member with too many partitions', () => {
    const holders = new Map(
      [5n, 9n, 7n, 2n].map((token, partition) => [partition, { incarnation: 'a', token }]),
    );
    const preferred = [...balance(4, ['a', 'b'], holders).values()].map(([first]) => first);
    expect(preferred).toEqual(['a', 'b', 'b', 'a']);
  });

  it('ranks second the member that would be preferred after the death of the first', () => {
    fc.assert(
      fc.property(situations, (situation) => {
        const { partitions, members, holders } = situation;
        const ranks = balance(partitions, members, holders);
        for (const gone of members) {
          const left = balance(
            partitions,
            members.filter((member) => member !== gone),
            holders,
          );
          for (const [partition, [first, second]] of ranks)
            if (first === gone) expect(second).toBe(left.get(partition)?.[0]);
        }
      }),
    );
  });

  it('prefers no member if there are none', () => {
    expect([...balance(2, [], new Map([[0, { incarnation: 'a', token: 1n }]])).values()]).toEqual([
      [],
      [],
    ]);
  });
});

/**
 * An event in a group: a partition gets or loses its holder, the members change, or the balance
 * settles.
 */
type Change =
  | {
      readonly kind: 'held';
      readonly partition: number;
      readonly index: number;
      readonly token: bigint;
    }
  | { readonly kind: 'members'; readonly indexes: readonly number[] }
  | { readonly kind: 'settle' };

const changes: fc.Arbitrary<readonly Change[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('held' as const),
        partition: fc.nat(15),
        index: fc.nat(7),
        token: fc.bigInt(0n, 9n),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('members' as const),
        indexes: fc.uniqueArray(fc.nat(5), { maxLength: 6 }),
      }),
    },
    { weight: 3, arbitrary: fc.constant({ kind: 'settle' as const }) },
  ),
  { maxLength: 60 },
);

describe('a balance that is updated incrementally (L9)', () => {
  it('equals a full computation after every change: the same shares, the same moves, the same order', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 14 }), changes, (partitions, history) => {
        const kept = new Balance(partitions);
        const holders = new Map<number, Holding>();
        let members: readonly string[] = [];
        for (const change of history) {
          if (change.kind === 'members') {
            members = change.indexes.map((index) => `m${index}`);
            kept.members(members);
          } else if (change.kind === 'held') {
            const holding =
              change.index > 6
                ? undefined
                : { incarnation: `m${change.index}`, token: change.token };
            if (holding) holders.set(change.partition, holding);
            else holders.delete(change.partition);
            kept.hold(change.partition, holding);
          } else {
            kept.settle();
            const full = fullBalance(partitions, members, holders);
            for (const [partition, order] of full) expectSameOrder(kept, partition, order);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('returns exactly the partitions whose preferred member changed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 14 }), changes, (partitions, history) => {
        const kept = new Balance(partitions);
        let before: (string | undefined)[] = [];
        for (const change of history) {
          if (change.kind === 'members') kept.members(change.indexes.map((index) => `m${index}`));
          else if (change.kind === 'held')
            kept.hold(change.partition, { incarnation: `m${change.index}`, token: change.token });
          else {
            const named = [...kept.settle()].sort((a, b) => a - b);
            const after = Array.from({ length: partitions }, (_, partition) =>
              kept.at(partition, 0),
            );
            expect(named).toEqual(
              [...after.keys()].filter((partition) => after[partition] !== before[partition]),
            );
            before = after;
          }
        }
      }),
    );
  });

  it('returns at most two of a thousand partitions after a planned move', () => {
    const members = Array.from({ length: 50 }, (_, index) => `m${index}`);
    const kept = new Balance(1_000);
    kept.members(members);
    kept.settle();
    for (let partition = 0; partition < 1_000; partition += 1) {
      kept.hold(partition, {
        incarnation: kept.at(partition, 0) ?? '',
        token: BigInt(partition),
      });
      expect(kept.settle()).toEqual([]);
    }
    for (let partition = 0; partition < 1_000; partition += 1) {
      kept.hold(partition, { incarnation: `m${partition % 50}`, token: BigInt(1_000 + partition) });
      expect(kept.settle().length).toBeLessThanOrEqual(60);
    }
  });
});

function expectSameOrder(kept: Balance, partition: number, order: readonly string[]): void {
  expect(kept.order(partition)).toEqual(order);
  expect(order.map((_, index) => kept.at(partition, index))).toEqual(order);
  const indexes = [...order, 'stranger'].map((member) => kept.indexOf(partition, member));
  expect(indexes).toEqual([...order.keys(), -1]);
}
