import { ByteReader, ByteWriter } from '@leadership/peer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Epoch, Item } from '../../src/protocol.ts';
import { itemForm } from '../../src/transport/codec/item-form.ts';
import {
  frameBytesMax,
  incarnationBytesMax,
  leaseMsLimit,
} from '../../src/transport/codec/limits.ts';
import type { Scope } from '../../src/transport/codec/values.ts';
import { anyItem, anyScope, names } from '../support/any-item.ts';

function written(item: Item, scope = anyScope): Buffer {
  const writer = new ByteWriter();
  itemForm.write(writer, item, scope);
  return Buffer.from(writer.bytes());
}

/** Returns the item if every byte of it is valid. */
function read(bytes: Buffer, scope: Scope = anyScope): Item | undefined {
  const reader = new ByteReader(bytes);
  const item = itemForm.read(reader, scope);
  return reader.isDone ? item : undefined;
}

const start = { incarnation: anyScope.from, at: 12.5, count: 3 };
const theirs = { ...start, incarnation: anyScope.to };
const request: Item = {
  kind: 'grant-request',
  partition: 2,
  start,
  leaseMs: 1000,
  token: 5n,
  standing: 'leading',
  successor: -1,
};
const epoch: Epoch = {
  number: 5,
  members: [{ member: 'a' }],
  quorums: { kind: 'majority' },
  tokens: [1n],
};
const ballot = { round: 1, member: 'a', incarnation: 'a1' };

test('every item is read as it was written', () => {
  fc.assert(
    fc.property(anyItem, (item) => {
      expect(read(written(item))).toEqual(item);
    }),
    { numRuns: 3000 },
  );
});

test('an item with missing or additional bytes is refused', () => {
  fc.assert(
    fc.property(
      anyItem,
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (item, share) => {
        const bytes = written(item);
        expect(read(bytes.subarray(0, Math.floor(share * bytes.length)))).toBeUndefined();
        expect(read(Buffer.concat([bytes, Buffer.from([0])]))).toBeUndefined();
      },
    ),
    { numRuns: 1000 },
  );
});

test('a request always carries the incarnation of its sender, whatever its content', () => {
  const stolen = written({ ...request, start: { ...start, incarnation: 'another' } });
  expect(read(stolen)).toEqual(request);
});

test('an answer to another incarnation of the receiver carries that incarnation', () => {
  const ok: Item = {
    kind: 'ok',
    partition: 0,
    start: theirs,
    at: start,
    life: 1,
    waitedMs: 0,
    rival: 0n,
    isEnding: false,
  };
  const before: Item = { ...ok, start: { ...theirs, incarnation: 'an earlier life' } };
  expect(read(written(before))).toMatchObject({ start: { incarnation: 'an earlier life' } });
  expect(written(before).length - written(ok).length).toBe('an earlier life'.length);
});

describe('the reader refuses', () => {
  const elsewhere = (changes: Partial<Scope>): Scope => ({ ...anyScope, ...changes });
  const refused: Item = {
    kind: 'refused',
    partition: 0,
    start: theirs,
    why: 'held',
    holder: undefined,
    isLeaving: false,
    forMs: 5,
  };
  const wedge: Item = { kind: 'wedge', ballot, next: epoch };
  const cases: readonly (readonly [string, Item, Scope?])[] = [
    ['a partition beyond M', { ...request, partition: 3 }],
    ['a lease of no length', { ...request, leaseMs: Number.NaN }],
    ['a lease of infinite length', { ...request, leaseMs: Number.POSITIVE_INFINITY }],
    ['a lease of more than a day', { ...request, leaseMs: leaseMsLimit + 1 }],
    ['a negative lease', { ...request, leaseMs: -1 }],
    ['a round at no time', { ...request, start: { ...start, at: Number.NEGATIVE_INFINITY } }],
    ['a round at not a number', { ...request, start: { ...start, at: Number.NaN } }],
    ['a count beyond safe integers', { ...request, start: { ...start, count: 2 ** 53 } }],
    [
      'a holder outside the group',
      { ...refused, holder: { member: 'stranger', incarnation: 'x' } },
    ],
    [
      'a holder without a name',
      { ...refused, holder: { member: '', incarnation: 'x' } },
      elsewhere({ names: undefined }),
    ],
    [
      'a holder with too long a name',
      { ...refused, holder: { member: 'x'.repeat(601), incarnation: 'x' } },
      elsewhere({ names: undefined }),
    ],
    ['a holder without an incarnation', { ...refused, holder: { member: 'a', incarnation: '' } }],
    [
      'a holder with too long an incarnation',
      { ...refused, holder: { member: 'a', incarnation: 'x'.repeat(65) } },
    ],
    ['a wait of negative length', { ...refused, forMs: -1 }],
    [
      'a first member beyond the last',
      { kind: 'pong', beat: 1, isUnsolicited: false, stands: [0, 0, names.length] },
    ],
    [
      'too few tokens',
      { kind: 'learned', beat: 1, tokens: [1n, 2n], remembers: true, epochMax: 1 },
    ],
    ['too many tokens', { kind: 'wedged', ballot, tokens: [1n, 2n, 3n, 4n], accepted: undefined }],
    ['an attempt of a stranger', { kind: 'bindable', ballot: { ...ballot, member: 'stranger' } }],
    ['an epoch that does not follow', { kind: 'wedge', ballot, next: { ...epoch, number: 6 } }],
    ['an epoch without members', { ...wedge, next: { ...epoch, members: [] } }],
    [
      'an epoch with a member twice',
      { ...wedge, next: { ...epoch, members: [{ member: 'a' }, { member: 'a' }] } },
    ],
    [
      'an epoch without voters',
      { ...wedge, next: { ...epoch, members: [{ member: 'a', votes: false }] } },
    ],
    [
      'an epoch that could elect two',
      {
        ...wedge,
        next: {
          ...epoch,
          members: [{ member: 'a' }, { member: 'b' }],
          quorums: { kind: 'sets', sets: [['a'], ['b']] },
        },
      },
    ],
    [
      'an epoch with more tokens than partitions',
      { ...wedge, next: { ...epoch, tokens: [1n, 2n, 3n, 4n] } },
    ],
    [
      'an epoch of too many members',
      {
        ...wedge,
        next: { ...epoch, members: Array.from({ length: 32 }, (_, i) => ({ member: `m${i}` })) },
      },
    ],
  ];
  for (const [what, item, scope = anyScope] of cases) {
    test(what, () => {
      expect(read(written(item, scope), scope)).toBeUndefined();
    });
  }

  test('a token beyond 63 bits, which no writer writes', () => {
    const last = 2n ** 63n - 1n;
    const bytes = written({ ...request, token: last });
    const at = bytes.indexOf(Buffer.from(last.toString(16), 'hex'));
    expect(read(bytes)).toBeDefined();
    bytes[at] = 0x80;
    expect(read(bytes)).toBeUndefined();
    expect(() => written({ ...request, token: last + 1n })).toThrow(RangeError);
  });

  test('a quorum with a member that is not in the epoch', () => {
    const bytes = written({
      kind: 'running',
      epoch: { ...epoch, quorums: { kind: 'grid', rows: [['a']] }, tokens: [] },
    });
    bytes[bytes.length - 2] = 1;
    expect(read(bytes)).toBeUndefined();
    bytes[bytes.length - 2] = 0;
    expect(read(bytes)).toBeDefined();
  });

  test('a weight that is given twice', () => {
    const members = [{ member: 'a' }, { member: 'b' }];
    const bytes = written({
      kind: 'running',
      epoch: {
        ...epoch,
        members,
        quorums: { kind: 'weights', weights: { a: 1, b: 1 } },
        tokens: [],
      },
    });
    const second = bytes.length - 2 - 8 - 1;
    expect(bytes[second]).toBe(1);
    bytes[second] = 0;
    expect(read(bytes)).toBeUndefined();
  });

  test('a number that is encoded too long', () => {
    expect(read(Buffer.from([4, 0x05]))).toEqual({ kind: 'ping', beat: 5 });
    expect(read(Buffer.from([4, 0x85, 0x00]))).toBeUndefined();
  });

  test('a flag that is neither 0 nor 1', () => {
    const bytes = written({ kind: 'pong', beat: 1, isUnsolicited: true, stands: [0, 0, 0] });
    bytes[2] = 2;
    expect(read(bytes)).toBeUndefined();
  });

  test('a name that is not valid text', () => {
    const bytes = written({ kind: 'bindable', ballot: { ...ballot, member: 'z' } });
    const place = bytes.indexOf(0x7a);
    bytes[place] = 0xff;
    expect(read(bytes, elsewhere({ names: undefined }))).toBeUndefined();
    bytes[place] = 0x7a;
    expect(read(bytes, elsewhere({ names: undefined }))).toBeDefined();
  });

  test('an unknown kind', () => {
    expect(read(Buffer.from([16, 0]))).toBeUndefined();
  });
});

test('quorums with more places than any group has are refused', () => {
  const all = Array.from({ length: 31 }, (_, index) => `m${index}`);
  const members = all.map((member) => ({ member }));
  const next = (sets: number): Item => ({
    kind: 'wedge',
    ballot,
    next: {
      ...epoch,
      members,
      quorums: { kind: 'sets', sets: Array.from({ length: sets }, () => all) },
    },
  });
  expect(read(written(next(528)))).toBeDefined();
  expect(read(written(next(529)))).toBeUndefined();
});

test('the longest message fits into the longest frame', () => {
  const members = Array.from({ length: 31 }, (_, index) => ({
    member: '€'.repeat(199) + String.fromCharCode(0x3041 + index),
  }));
  const all = members.map(({ member }) => member);
  const sets = Array.from({ length: 528 }, () => all);
  for (const partitions of [1, 65_536]) {
    const tokens = Array.from({ length: partitions }, () => 2n ** 63n - 1n);
    const accepted = {
      ballot: {
        round: Number.MAX_SAFE_INTEGER,
        member: all[0] ?? '',
        incarnation: 'i'.repeat(incarnationBytesMax),
      },
      next: { number: 5, members, quorums: { kind: 'sets', sets }, tokens },
    } as const;
    const item: Item = { kind: 'wedged', ballot: accepted.ballot, tokens, accepted };
    const bytes = written(item);
    expect(read(bytes, { ...anyScope, partitions, names: new Set(all) })).toEqual(item);
    expect(bytes.length).toBeLessThan(frameBytesMax(partitions) - 100);
  }
});
