import { expect, test } from 'vitest';
import { decodeMessages, encodeMessages } from '../../src/codec.ts';
import type { Message } from '../../src/index.ts';

const ends = { from: 'life-of-a', to: 'life-of-b' };
const receiver = { partitions: 3, epoch: 4, names: new Set(['a', 'b']) };
const verify = (id: number, epoch: number): Message => ({
  epoch,
  item: { kind: 'verify', partition: id % 3, id },
});

test('messages keep their content and order in any number of pieces; each piece has one epoch and a bounded size', () => {
  const said = Array.from({ length: 10_000 }, (_, id) => verify(id, id < 6000 ? 4 : 5));
  const pieces = encodeMessages(said, ends);
  const read = pieces.map((piece) => decodeMessages(piece, ends, receiver));
  expect(
    read.flatMap((one) => one?.items.map((item) => ({ epoch: one.epoch, item })) ?? []),
  ).toEqual(said);
  expect(pieces.length).toBeGreaterThan(2);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(20_000);
  expect(encodeMessages([], ends)).toEqual([]);
});

test('a truncated piece contains no message, and neither does one for other partitions', () => {
  const [piece = Buffer.alloc(0)] = encodeMessages([verify(2, 4)], ends);
  expect(decodeMessages(piece, ends, receiver)?.items).toHaveLength(1);
  expect(decodeMessages(piece.subarray(0, -1), ends, receiver)).toBeUndefined();
  expect(decodeMessages(piece, ends, { ...receiver, partitions: 2 })).toBeUndefined();
});
