import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rowOf } from '../../src/protocol/gossip/context.ts';
import { mergeDelta } from '../../src/protocol/gossip/merging.ts';
import { bytesOf, exchange, GossipMember } from '../support/gossip-group.ts';

const names = ['a', 'b', 'c', 'd'];

type Action =
  | {
      readonly kind: 'write';
      readonly by: number;
      readonly key: string;
      readonly value: string | undefined;
    }
  | {
      readonly kind: 'exchange';
      readonly from: number;
      readonly to: number;
      readonly losses: number;
    }
  | { readonly kind: 'later' };

const who = fc.nat(names.length - 1);
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({
    kind: fc.constant('write' as const),
    by: who,
    key: fc.constantFrom('k1', 'k2', 'k3', 'k4', 'k5'),
    value: fc.option(fc.string({ minLength: 1, maxLength: 90 }), { nil: undefined, freq: 3 }),
  }),
  fc.record({ kind: fc.constant('exchange' as const), from: who, to: who, losses: fc.nat(255) }),
  fc.constant({ kind: 'later' as const }),
);

interface Group {
  readonly members: readonly GossipMember[];
  now: number;
}

function member({ members }: Group, index: number): GossipMember {
  const found = members[index % members.length];
  if (found === undefined) throw new Error('no member');
  return found;
}

function act(group: Group, done: Action): void {
  switch (done.kind) {
    case 'write':
      return member(group, done.by).write(group.now, done.key, done.value);
    case 'later':
      group.now += 400;
      for (const one of group.members) one.keepUp(group.now);
      return;
    case 'exchange': {
      if (done.from === done.to) return;
      let bits = done.losses;
      const [from, to] = [member(group, done.from), member(group, done.to)];
      const bodies = exchange(from, to, group.now, () => {
        bits = (bits >> 1) | ((bits & 1) << 7);
        return (bits & 1) === 0;
      });
      const own = rowOf(from.context(group.now), from.node(from.config.member));
      for (const body of bodies) expect(bytesOf(body, own)).toBeLessThanOrEqual(400);
    }
  }
}

/** Every entry is one that the owner wrote, and nothing up to the known version is missing. */
function expectPrefix(owner: GossipMember, reader: GossipMember): void {
  const node = reader.state.nodes.get(owner.config.member);
  if (node === undefined) return;
  for (const [key, { value, version }] of node.entries)
    expect(owner.history).toContainEqual({ key, value, version });
  for (const key of new Set(owner.history.map((one) => one.key))) {
    const last = owner.history.findLast((one) => one.key === key);
    if (last === undefined || last.version > node.version) continue;
    expect(node.entries.get(key)?.value).toBe(last.value);
  }
}

function newGroup(rules = {}): Group {
  return { members: names.map((name) => new GossipMember(name, {}, rules)), now: 0 };
}

describe('anti-entropy (S1)', () => {
  test('a member knows every change of an owner up to a version, whatever is lost', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const group = newGroup();
        for (const done of actions) {
          act(group, done);
          for (const owner of group.members)
            for (const reader of group.members) expectPrefix(owner, reader);
        }
      }),
      { numRuns: 150 },
    );
  });

  test('all members know the same once messages arrive, in datagrams of 400 bytes', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const group = newGroup();
        for (const done of actions) act(group, done);
        for (let turn = 0; turn < 40; turn += 1)
          exchange(member(group, turn), member(group, turn + 1 + (turn % 3)), group.now);
        for (const owner of group.members)
          for (const reader of group.members)
            expect(reader.valuesOf(owner.config.member)).toEqual(
              owner.valuesOf(owner.config.member),
            );
      }),
      { numRuns: 100 },
    );
  });

  test('an older delta changes nothing', () => {
    const [owner, reader] = [new GossipMember('a'), new GossipMember('b')];
    owner.write(0, 'k', 'old');
    const old = exchange(reader, owner, 0).find((body) => body.kind === 'reply');
    owner.write(0, 'k', 'new');
    exchange(reader, owner, 0);
    const before = reader.node('a');
    if (old?.kind !== 'reply') throw new Error('no reply');
    const again = new GossipMember('x', {}, { isNewer: () => true });
    for (const one of [reader, again]) {
      if (one === again) exchange(again, owner, 0);
      one.with(0, (context) => {
        for (const delta of old.deltas) mergeDelta(context, delta);
      });
    }
    expect(reader.node('a')).toEqual(before);
    expect(again.valuesOf('a'), 'a mutant goes back').toEqual({ k: 'old' });
  });

  test('a later generation replaces everything, and earlier ones are ignored', () => {
    for (const [resets, expected] of [
      [true, {}],
      [false, { k: 'of the earlier life' }],
    ] as const) {
      const [owner, reader] = [new GossipMember('a'), new GossipMember('b', {}, { resets })];
      owner.write(0, 'k', 'of the earlier life');
      const early = exchange(reader, owner, 0).find((body) => body.kind === 'reply');
      owner.restart(2);
      exchange(reader, owner, 0);
      expect(reader.node('a').generation).toBe(2);
      expect(reader.valuesOf('a')).toEqual(expected);
      if (early?.kind !== 'reply') throw new Error('no reply');
      reader.with(0, (context) => {
        for (const delta of early.deltas) mergeDelta(context, delta);
      });
      expect(reader.node('a').generation).toBe(2);
    }
  });

  test('a late declaration of an earlier generation changes nothing, whatever its numbers', () => {
    const [owner, reader] = [new GossipMember('a'), new GossipMember('b')];
    owner.write(0, 'k', 'now');
    owner.restart(2);
    exchange(reader, owner, 0);
    const before = reader.node('a');
    expect(before.generation).toBe(2);
    const { name, beat, clock, floor } = before;
    const row = { name, generation: 1, beat: beat + 9, clock: clock + 9, floor };
    const late = { row: { ...row, sequence: 99, version: 99 }, declaration: 'late' };
    const entries = [{ key: 'k', value: 'late', version: 99 }];
    reader.with(0, (context) => mergeDelta(context, { ...late, since: 0, entries }));
    expect(reader.node('a')).toEqual(before);
  });

  test('a peer that missed a removed tombstone does not keep the deleted key', () => {
    const [owner, reader] = [new GossipMember('a'), new GossipMember('b')];
    owner.write(0, 'gone', 'x');
    owner.write(0, 'stays', 'y');
    exchange(reader, owner, 0);
    owner.write(10, 'gone', undefined);
    owner.keepUp(2000);
    expect(owner.node('a').entries.has('gone')).toBe(false);
    exchange(reader, owner, 2000);
    exchange(reader, owner, 2000);
    expect(reader.valuesOf('a')).toEqual({ stays: 'y' });
  });

  test('the peer gets unknown members first, then declarations, then what is behind most', () => {
    const [full, peer] = [new GossipMember('full', { budget: 260 }), new GossipMember('peer')];
    for (const name of ['m1', 'm2', 'm3']) {
      const other = new GossipMember(name);
      for (let index = 0; index < 3; index += 1) other.write(0, `key${index}`, 'v');
      exchange(full, other, 0);
      if (name === 'm1') exchange(peer, other, 0);
      if (name === 'm1')
        for (let index = 0; index < 9; index += 1) other.write(0, 'key', `${index}`);
      exchange(full, other, 0);
    }
    const reply = exchange(peer, full, 0).find((body) => body.kind === 'reply');
    const [first] = reply?.kind === 'reply' ? reply.deltas : [];
    expect(first?.row.name).not.toBe('m1');
  });
});
