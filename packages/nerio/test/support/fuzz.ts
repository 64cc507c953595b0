// Frames that no member has sent: noise, and real frames with one fault. Deterministic for a seed.

import { seededRandom } from '@leadership/testkit/internal';
import { decodeMessages, encodeMessages } from '../../src/codec.ts';
import type { Item } from '../../src/protocol.ts';
import type { Received } from '../../src/transport/frames/reception.ts';
import type { Drop } from '../../src/transport/transport.ts';
import { beat, credentialsOf, cut, greeted, keys, pairOf, receiver, said } from './wire.ts';

/** The results of many frames. */
export interface Tally {
  readonly dropped: Partial<Record<Drop, number>>;
  accepted: number;
}

export function newTally(): Tally {
  return { dropped: {}, accepted: 0 };
}

function count(tally: Tally, received: Received): void {
  if (received.kind === 'drop')
    tally.dropped[received.why] = (tally.dropped[received.why] ?? 0) + 1;
  else tally.accepted += 1;
}

type Dice = () => number;

const below = (dice: Dice, limit: number): number => Math.floor(dice() * limit);

function noise(dice: Dice): Buffer {
  const bytes = Buffer.alloc(below(dice, 120));
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = below(dice, 256);
  return bytes;
}

/** Returns a copy of `frame` with one fault, always different from it. */
function mangled(dice: Dice, frame: Buffer, other: Buffer): Buffer {
  const at = below(dice, frame.length);
  switch (below(dice, 6)) {
    case 0:
      return frame.subarray(0, at);
    case 1:
      return Buffer.concat([frame, noise(dice), Buffer.from([0])]);
    case 2:
      return Buffer.concat([
        frame.subarray(0, at),
        Buffer.from([below(dice, 256)]),
        frame.subarray(at),
      ]);
    case 3:
      return Buffer.concat([
        frame.subarray(0, at),
        other.subarray(Math.min(at, other.length)),
        Buffer.from([1]),
      ]);
    default: {
      const changed = Buffer.from(frame);
      for (let times = 1 + below(dice, 3); times > 0; times -= 1) {
        const place = below(dice, frame.length);
        changed[place] = (frame[place] ?? 0) ^ (1 + below(dice, 255));
      }
      return changed;
    }
  }
}

const request = (partition: number): Item => ({
  kind: 'grant-request',
  partition,
  start: { incarnation: 'life-of-a', at: 1234.5 + partition, count: 0 },
  leaseMs: 3000,
  token: 1_700_000_000_000_000n,
  standing: 'claiming',
  successor: -1,
});
const epoch = {
  number: 5,
  members: [{ member: 'a' }, { member: 'b', votes: true }],
  quorums: { kind: 'majority' },
  tokens: [1n, 2n, 3n],
} as const;
const ballot = { round: 3, member: 'b', incarnation: 'life-of-b' } as const;

/** Real messages, of several lengths. */
const speeches: readonly (readonly Item[])[] = [
  [request(0)],
  [request(0), request(1), request(2), { kind: 'ping', beat: 300 }],
  [{ kind: 'pong', beat: 17, isUnsolicited: true, stands: [-1, 0, 1] }],
  [{ kind: 'wedged', ballot, tokens: [1n, 2n, 3n], accepted: { ballot, next: epoch } }],
  [
    {
      kind: 'refused',
      partition: 1,
      start: { incarnation: 'life-of-b', at: 5, count: 1 },
      why: 'held',
      holder: { member: 'a', incarnation: 'x' },
      isLeaving: false,
      forMs: 12,
    },
  ],
  [{ kind: 'running', epoch: { ...epoch, quorums: { kind: 'sets', sets: [['a'], ['a', 'b']] } } }],
];

const some = <T>(dice: Dice, values: readonly [T, ...(readonly T[])]): T =>
  values[below(dice, values.length)] ?? values[0];

/**
 * Frames from a peer without the key, for a member with one: before and after a handshake with
 * another peer.
 */
export function* forgeries(seed: number, tally: Tally): Generator<void, void, undefined> {
  const dice = seededRandom(seed);
  const own = { keys };
  const [a, b] = [credentialsOf('a', own), credentialsOf('b', own)];
  const pair = pairOf(a, b);
  const session = greeted(pair);
  pair.called.receive(beat(session, 1));
  const hello = cut(pair.call.hello);
  const fresh = pairOf(a, b, 2).called;
  const old = speeches.map((items) => said(session, items));
  const [first = hello, ...rest] = [...old, beat(session, 2)];
  for (;;) {
    const isNoise = dice() < 0.1;
    const frame = isNoise
      ? noise(dice)
      : mangled(dice, some(dice, [first, ...rest]), some(dice, [hello, ...old]));
    count(tally, pair.called.receive(frame));
    yield;
    count(tally, fresh.receive(isNoise ? frame : mangled(dice, hello, first)));
    yield;
  }
}

/**
 * Frames that an unsigned connection would read as messages. Throws if the reader accepts a frame
 * that the writer never writes.
 */
export function* slips(seed: number, tally: Tally): Generator<void, void, undefined> {
  const dice = seededRandom(seed);
  const ends = { from: 'life-of-a', to: 'life-of-b' };
  const write = (items: readonly Item[], of: number): Buffer =>
    Buffer.concat(
      encodeMessages(
        items.map((item) => ({ epoch: of, item })),
        ends,
      ),
    );
  const real = speeches.map((items) => write(items, receiver.epoch));
  const [first = Buffer.alloc(1), ...rest] = real;
  for (;;) {
    const bytes =
      dice() < 0.1
        ? noise(dice)
        : mangled(dice, some(dice, [first, ...rest]), some(dice, [first, ...rest]));
    const read = decodeMessages(bytes, ends, receiver);
    if (read === undefined) count(tally, { kind: 'drop', why: 'malformed' });
    else {
      tally.accepted += 1;
      if (!write(read.items, read.epoch).equals(bytes))
        throw new Error(`read what is never written: ${bytes.toString('hex')}`);
      for (const item of read.items) check(item);
    }
    yield;
  }
}

/**
 * Checks independently of the decoder: no number is NaN, no partition is beyond M, no token is
 * beyond 63 bits, no text is too long.
 */
function check(value: unknown, name = ''): void {
  const isRight =
    typeof value === 'number'
      ? !Number.isNaN(value) &&
        (name !== 'partition' ||
          (value >= 0 && value < receiver.partitions && Number.isInteger(value)))
      : typeof value === 'bigint'
        ? value >= 0n && value < 2n ** 63n
        : typeof value !== 'string' || value.length <= 600;
  if (!isRight) throw new Error(`read ${name} as ${String(value)}`);
  if (typeof value === 'object' && value !== null)
    for (const [field, inner] of Object.entries(value)) check(inner, field);
}
