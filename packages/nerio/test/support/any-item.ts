// Arbitrary messages between members, for property tests.
import fc from 'fast-check';
import type { Epoch, EpochMember, Item, QuorumSpec, Sample } from '../../src/protocol.ts';
import type { Scope } from '../../src/transport/codec/values.ts';

export const names = ['a', 'bé', 'c:7400', '日本'] as const;

/** The scope of those messages. */
export const anyScope: Scope = {
  from: 'life-of-a',
  to: 'life-of-b',
  partitions: 3,
  epoch: 4,
  names: new Set(names),
};

const name = fc.constantFrom(...names);
const whole = fc.oneof(
  fc.nat(300),
  fc.constantFrom(127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER),
  fc.maxSafeNat(),
);
const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const atLeast0 = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true });
const token = fc.oneof(
  fc.constantFrom(0n, 2n ** 63n - 1n),
  fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
);
const tokens = fc.array(token, { minLength: 3, maxLength: 3 });
const partition = fc.nat(2);
const incarnation = fc.string({ minLength: 1, maxLength: 36, unit: 'grapheme-ascii' });
const sample: fc.Arbitrary<Sample> = fc.record({ at: finite, count: whole });
const ownStart = sample.map(({ at, count }) => ({ incarnation: anyScope.from, at, count }));
const theirStart = fc
  .tuple(sample, fc.oneof(fc.constant(anyScope.to), incarnation))
  .map(([{ at, count }, life]) => ({ incarnation: life, at, count }));
const ballot = fc.record({ round: whole, member: name, incarnation });

const members: fc.Arbitrary<EpochMember[]> = fc
  .shuffledSubarray([...names], { minLength: 1 })
  .chain((some) =>
    fc.tuple(
      ...some.map((member, index) =>
        index === 0
          ? fc.constant({ member })
          : fc.record(
              { member: fc.constant(member), votes: fc.constant(true), stands: fc.boolean() },
              { requiredKeys: ['member'] },
            ),
      ),
    ),
  );

function quorums(some: readonly EpochMember[]): fc.Arbitrary<QuorumSpec> {
  const all = some.map(({ member }) => member);
  const [first = 'a'] = all;
  return fc.oneof(
    fc.constant<QuorumSpec>({ kind: 'majority' }),
    fc.record({
      kind: fc.constant('weights' as const),
      weights: fc.constant(Object.fromEntries(all.map((member, index) => [member, index + 1]))),
    }),
    fc.constant<QuorumSpec>({ kind: 'weights', weights: { [first]: 1 }, need: all.length }),
    fc.constant<QuorumSpec>({ kind: 'grid', rows: [all] }),
    fc.constant<QuorumSpec>({ kind: 'sets', sets: [[first], all] }),
  );
}

const epoch = (number: fc.Arbitrary<number>): fc.Arbitrary<Epoch> =>
  members.chain((some) =>
    fc.record({
      number,
      members: fc.constant(some),
      quorums: quorums(some),
      tokens: fc.array(token, { maxLength: 3 }),
    }),
  );
const next = epoch(fc.constant(anyScope.epoch + 1));
const accepted = fc.record({ ballot, next });

export const anyItem: fc.Arbitrary<Item> = fc.oneof(
  fc.record({
    kind: fc.constant('grant-request' as const),
    partition,
    start: ownStart,
    leaseMs: fc.double({ min: 0, max: 86_400_000, noNaN: true }),
    token,
    standing: fc.constantFrom('claiming', 'leading', 'leaving'),
    successor: fc.integer({ min: -1, max: names.length - 1 }),
  }),
  fc.record({
    kind: fc.constant('ok' as const),
    partition,
    start: theirStart,
    at: sample,
    life: whole,
    waitedMs: atLeast0,
    rival: token,
    isEnding: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('refused' as const),
    partition,
    start: theirStart,
    why: fc.constantFrom('held', 'muted', 'too-long', 'released', 'skew', 'ending'),
    holder: fc.option(fc.record({ member: name, incarnation }), { nil: undefined }),
    isLeaving: fc.boolean(),
    forMs: fc.oneof(atLeast0, fc.constant(Number.POSITIVE_INFINITY)),
  }),
  fc.record({ kind: fc.constant('release' as const), partition, start: ownStart }),
  fc.record({ kind: fc.constant('lease-request' as const), partition, leads: fc.nat(3) }),
  fc.record({ kind: fc.constant('ping' as const), beat: whole }),
  fc.record({
    kind: fc.constant('pong' as const),
    beat: whole,
    isUnsolicited: fc.boolean(),
    stands: fc.array(fc.integer({ min: -1, max: names.length - 1 }), {
      minLength: 3,
      maxLength: 3,
    }),
  }),
  fc.record({ kind: fc.constant('learn' as const), beat: whole }),
  fc.record({
    kind: fc.constant('learned' as const),
    beat: whole,
    tokens,
    remembers: fc.boolean(),
    epochMax: whole,
  }),
  fc.record({ kind: fc.constant('verify' as const), partition, id: whole }),
  fc.record({ kind: fc.constant('remainder' as const), partition, id: whole, remainderMs: finite }),
  fc.record({ kind: fc.constant('probe' as const), ballot }),
  fc.record({ kind: fc.constant('bindable' as const), ballot }),
  fc.record({ kind: fc.constant('wedge' as const), ballot, next }),
  fc.record({
    kind: fc.constant('wedged' as const),
    ballot,
    tokens,
    accepted: fc.option(accepted, { nil: undefined }),
  }),
  fc.record({ kind: fc.constant('accept' as const), ballot, next }),
  fc.record({ kind: fc.constant('accepted' as const), ballot, next }),
  fc.record({ kind: fc.constant('outranked' as const), by: ballot }),
  fc.record({ kind: fc.constant('running' as const), epoch: epoch(whole) }),
);
