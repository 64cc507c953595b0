import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clockOf, rowOf } from '../../src/protocol/gossip/context.ts';
import { mergeDelta, mergeRow } from '../../src/protocol/gossip/merging.ts';
import { isAlive, type Row } from '../../src/protocol/gossip/node.ts';
import type { GossipRules } from '../../src/protocol/gossip/rules.ts';
import { config, exchange, GossipMember } from '../support/gossip-group.ts';

function row(fields: Partial<Row> = {}): Row {
  const usual = { name: 'x', generation: 5, beat: 1, clock: 0, sequence: 0, version: 0, floor: 0 };
  return { ...usual, ...fields };
}

function hear(member: GossipMember, now: number, fields: Partial<Row>, isDirect = false): void {
  member.with(now, (context) => mergeRow(context, row(fields), isDirect));
}

describe('members that come and go (S1, S2)', () => {
  test('a member lives from its second beat on, or once it has sent a message itself', () => {
    const member = new GossipMember('a');
    hear(member, 0, { beat: 7 });
    expect(isAlive(member.node('x'), 0)).toBe(false);
    hear(member, 50, { beat: 7 });
    expect(isAlive(member.node('x'), 50)).toBe(false);
    hear(member, 100, { beat: 8 });
    expect(isAlive(member.node('x'), 100)).toBe(true);
    hear(member, 100, { name: 'y' }, true);
    expect(isAlive(member.node('y'), 100)).toBe(true);
  });

  test('silence makes a member suspect, and a wrong suspicion lengthens the expected interval', () => {
    const member = new GossipMember('a');
    for (let beat = 1; beat <= 20; beat += 1) hear(member, 100 * beat, { beat });
    expect(isAlive(member.node('x'), 2150)).toBe(true);
    expect(isAlive(member.node('x'), 2500)).toBe(false);
    hear(member, 2600, { beat: 21 });
    expect(isAlive(member.node('x'), 2600)).toBe(true);
    expect(member.node('x').expectedMs).toBe(2 * config.intervalMs);
  });

  function zombies(rules: Partial<GossipRules>): boolean {
    // Members that met a dead one at different times forget it at different times.
    const group = ['a', 'b', 'c'].map((name) => new GossipMember(name, {}, rules));
    for (let now = 100; now < 60_000; now += 100) {
      group.forEach((member, index) => {
        if (now === 100 + 3000 * index) for (const beat of [1, 2]) hear(member, now, { beat });
        member.keepUp(now);
      });
      for (const from of group)
        for (const to of group) if (from !== to && now > 7000) exchange(from, to, now);
    }
    return group.some((member) => member.state.nodes.has('x'));
  }

  test('a dead member is forgotten, also when another member still passes it on', () => {
    expect(zombies({})).toBe(false);
    expect(zombies({ isSpread: () => true, revives: () => true }), 'a mutant').toBe(true);
  });

  function isKnownWhileOthersStart(rules: Partial<GossipRules>): boolean {
    // Each member receives the name of the dead one from the member that started before it.
    const group = Array.from({ length: 9 }, (_, index) => new GossipMember(`m${index}`, {}, rules));
    for (const beat of [1, 2]) for (const member of group.slice(0, 1)) hear(member, 100, { beat });
    group.slice(1).forEach((member, index) => {
      const from = group[index];
      if (from) exchange(from, member, 4000 * (index + 1));
    });
    return group.at(-1)?.state.nodes.has('x') === true;
  }

  test('members that start do not keep a dead one known (S1)', () => {
    expect(isKnownWhileOthersStart({})).toBe(false);
    const spreads: Partial<GossipRules> = {
      isSpread: (silentMs, forgetAfterMs) => silentMs < forgetAfterMs / 2,
    };
    expect(isKnownWhileOthersStart(spreads), 'a mutant').toBe(true);
  });

  test('a forgotten member returns with its next beat', () => {
    const member = new GossipMember('a');
    hear(member, 0, { beat: 4 });
    member.keepUp(10_001);
    expect(member.state.nodes.has('x')).toBe(false);
    hear(member, 10_002, { beat: 4 });
    expect(member.state.nodes.has('x')).toBe(false);
    hear(member, 10_003, { beat: 5 });
    expect(member.state.nodes.has('x')).toBe(true);
  });
});

describe('biased clocks (S3)', () => {
  test('no bound is above the clock, for any rates and any relays, and bounds are close', () => {
    const rate = fc.double({ min: 1 - 500e-6, max: 1 + 500e-6, noNaN: true });
    const hop = fc.record({
      via: fc.nat(2),
      delayMs: fc.double({ min: 0, max: 3000, noNaN: true }),
    });
    fc.assert(
      fc.property(
        fc.tuple(rate, rate, rate, rate),
        fc.array(hop, { maxLength: 40 }),
        (rates, hops) => {
          const relays = ['r0', 'r1', 'r2'].map((name) => new GossipMember(name));
          let real = 0;
          let beat = 1;
          let last: GossipMember | undefined;
          for (const { via, delayMs } of hops) {
            const to = relays[via];
            if (to === undefined) continue;
            // The row is made now, by the owner or by the last relay, and arrives later.
            const sent =
              last === undefined
                ? row({ beat: beat++, clock: real * rates[3] })
                : rowOf(last.context(real * (rates[relays.indexOf(last)] ?? 1)), last.node('x'));
            real += delayMs;
            const now = real * (rates[via] ?? 1);
            to.with(now, (context) => mergeRow(context, sent, false));
            const bound = clockOf(to.context(now), to.node('x'));
            expect(bound).toBeLessThanOrEqual(real * rates[3] + 1e-6);
            last = beat % 3 === 0 ? undefined : to;
          }
        },
      ),
    );
  });

  test('a relay forwards its own bound when that is greater, and leaves the beat', () => {
    const relay = new GossipMember('a');
    hear(relay, 1000, { beat: 3, clock: 400 });
    const forwarded = rowOf(relay.context(2000), relay.node('x'));
    expect(forwarded.clock).toBeCloseTo(1400 - 1, 5);
    expect(forwarded.beat).toBe(3);
  });
});

describe('hostile input', () => {
  const number = fc.oneof(
    fc.nat(10),
    fc.constantFrom(-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53 - 1, 2 ** 60),
    fc.double(),
  );
  const anyRow: fc.Arbitrary<Row> = fc.record({
    name: fc.oneof(fc.string(), fc.string({ minLength: 300, maxLength: 300 }), fc.constant('a')),
    generation: number,
    beat: number,
    clock: number,
    sequence: number,
    version: number,
    floor: number,
  });
  const anyDelta = fc.record({
    row: anyRow,
    declaration: fc.option(fc.string(), { nil: undefined }),
    since: number,
    entries: fc.array(
      fc.record({
        key: fc.string({ maxLength: 300 }),
        value: fc.option(fc.string({ maxLength: 600 }), { nil: undefined }),
        version: number,
      }),
      { maxLength: 80 },
    ),
  });

  test('no delta exceeds the limits of a member, or leaves no greater number', () => {
    const member = new GossipMember('a', { nodesMax: 20, keysMax: 10 });
    fc.assert(
      fc.property(anyDelta, fc.boolean(), (delta, isDirect) => {
        member.with(1, (context) => {
          mergeRow(context, delta.row, isDirect);
          mergeDelta(context, delta);
        });
        expect(member.state.nodes.size).toBeLessThanOrEqual(20);
        for (const node of member.state.nodes.values()) {
          expect(node.entries.size).toBeLessThanOrEqual(10);
          for (const count of [node.beat, node.sequence, node.version, node.generation])
            expect(Number.isSafeInteger(count + 2 ** 30)).toBe(true);
          for (const [key, { value }] of node.entries)
            expect(key.length <= 255 && (value ?? '').length <= 512).toBe(true);
        }
        expect(member.node('a').generation).toBe(1);
      }),
      { numRuns: 3000 },
    );
  });
});
