// Datagrams that no member has sent: noise, valid ones with a fault, and, signed by a member, any
// content. Deterministic for a seed.
import { ByteWriter } from '@leadership/peer';
import { seededRandom } from '@leadership/testkit/internal';
import type { Message } from '../../src/protocol.ts';
import { readMessage, writeMessage } from '../../src/transport/codec/message-form.ts';
import { type Envelope, openEnvelope, sealEnvelope } from '../../src/transport/envelope.ts';
import { keyring, tag } from './sockets.ts';
import { World } from './world.ts';

/** The results of many datagrams, by what became of them. */
export type Tally = Record<string, number>;

type Dice = () => number;

const partitions = 6;
const pin: string = 'ab'.repeat(16);
const below = (dice: Dice, limit: number): number => Math.floor(dice() * limit);

function some<T>(dice: Dice, values: readonly T[]): T {
  return values[below(dice, values.length)] as T;
}

function noted(tally: Tally, what: string): void {
  tally[what] = (tally[what] ?? 0) + 1;
}

/** The bytes of a message. */
function encoded(message: Message): Buffer {
  const writer = new ByteWriter();
  writeMessage(writer, message);
  return Buffer.from(writer.bytes());
}

/** Messages of every kind, of a group with entries, resignations and a restart. */
function validMessages(): readonly Message[] {
  const sent: Message[] = [];
  const size = { nodes: 6, voters: 3, partitions, seed: 1 };
  const world = new World({ ...size, config: { pin, budget: 600 } });
  world.onSend = (_from, _to, message) => sent.push(message);
  world.startAll();
  for (let round = 0; round < 30; round += 1) {
    const name = some(world.random, world.names);
    const value = round % 3 === 0 ? undefined : 'x'.repeat(3 * round);
    world.feed(name, { kind: 'set', key: `key-${round % 4}`, value });
    world.run(1000);
    if (round === 15) world.kill('m1');
    if (round === 16) world.start('m1');
    const leader = world.leader(round % partitions);
    if (leader) world.feed(leader, { kind: 'resign', partition: round % partitions, atLeastMs: 0 });
  }
  return sent.filter((_, index) => index % 23 === 0);
}

function noise(dice: Dice): Buffer {
  const bytes = Buffer.alloc(below(dice, 120));
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = below(dice, 256);
  return bytes;
}

/** Returns a copy with one fault, always different from the original. */
function mangled(dice: Dice, bytes: Buffer, other: Buffer): Buffer {
  const at = below(dice, bytes.length);
  switch (below(dice, 6)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes, noise(dice), Buffer.from([0])]);
    case 2:
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from([below(dice, 256)]),
        bytes.subarray(at),
      ]);
    case 3: {
      const rest = other.subarray(Math.min(at, other.length));
      const spliced = Buffer.concat([bytes.subarray(0, at), rest, Buffer.from([1])]);
      // The original may end with that byte.
      return spliced.equals(bytes) ? noise(dice) : spliced;
    }
    default: {
      const changed = Buffer.from(bytes);
      const place = below(dice, bytes.length);
      changed[place] = (bytes[place] ?? 0) ^ (1 + below(dice, 255));
      return changed;
    }
  }
}

/**
 * Datagrams to the member `to` of a sender without a key. Tallies `accepted`, or why they were
 * dropped.
 */
export function* forgeries(
  seed: number,
  tally: Tally,
  to = 'm0',
): Generator<Buffer, void, undefined> {
  const dice = seededRandom(seed);
  const valid = validMessages()
    .slice(0, 40)
    .map((message) => {
      const cookies = { cookie: Buffer.alloc(8, 2), echo: Buffer.alloc(8, 3) };
      const envelope: Envelope = {
        from: message.from.name,
        to,
        ...cookies,
        content: encoded(message),
      };
      return Buffer.from(sealEnvelope(tag, keyring, envelope));
    });
  for (;;) {
    const bytes = dice() < 0.1 ? noise(dice) : mangled(dice, some(dice, valid), some(dice, valid));
    const opened = openEnvelope(tag, keyring, bytes);
    noted(tally, typeof opened === 'string' ? opened : 'accepted');
    yield bytes;
  }
}

/**
 * Contents that a member has signed. Throws if the reader accepts bytes that no writer writes.
 */
export function* slips(
  seed: number,
  tally: Tally,
): Generator<Message | undefined, void, undefined> {
  const dice = seededRandom(seed);
  const valid = validMessages().map(encoded);
  for (;;) {
    const bytes = dice() < 0.1 ? noise(dice) : mangled(dice, some(dice, valid), some(dice, valid));
    const read = readMessage(bytes, partitions);
    if (read && !encoded(read).equals(bytes))
      throw new Error(`read what is never written: ${bytes.toString('hex')}`);
    noted(tally, read ? 'read' : 'malformed');
    yield read;
  }
}

const numbers = [
  0,
  1,
  2 ** 31,
  2 ** 31 + 1,
  2 ** 40,
  2 ** 40 + 1,
  2 ** 43,
  2 ** 50,
  Number.MAX_SAFE_INTEGER,
];
/** Just what a receiver permits as a generation or a token, and just too much. */
const wallMicros = 1_800_000_000_000_000;
const ahead = 315_576_000_000_000;
const generations = [...numbers, wallMicros, wallMicros + ahead, wallMicros + 2 * ahead];
const tokens = [0n, 1n, 2n ** 62n, 2n ** 63n - 1n, ...generations.map(BigInt)];
const clocks = [0, 0.001, 1, 1e6, 2 ** 40, 2 ** 50 / 1000];
const names = ['', 'm0', 'm1', 'm2', 'm5', 'stranger', 'x'.repeat(255), '\u0000'];

const extremes: Readonly<Record<string, readonly unknown[]>> = {
  generation: generations,
  beat: numbers,
  sequence: numbers,
  version: numbers,
  floor: numbers,
  since: numbers,
  ask: numbers,
  clock: clocks,
  bound: clocks,
  horizon: clocks,
  token: tokens,
  above: tokens,
  known: tokens,
  claim: tokens,
  name: names,
  member: names,
  key: names,
  from: names,
  to: names,
  value: [undefined, '', 'x'.repeat(512), 'x'.repeat(513), 'x'.repeat(5000)],
  partition: Array.from({ length: partitions }, (_, index) => index),
};
const lists = new Set(['rows', 'lacks', 'deltas', 'entries', 'answers', 'resignations']);

/** Returns a copy in which some fields have extreme values, and some lists are empty or long. */
function twisted(dice: Dice, value: unknown, field: string, share: number): unknown {
  const extreme = extremes[field];
  if (extreme && typeof value !== 'object' && dice() < share) return some(dice, extreme);
  if (Array.isArray(value)) {
    const items = value.map((item) => twisted(dice, item, field, share));
    if (!lists.has(field) || dice() >= share || items.length === 0) return items;
    return dice() < 0.3 ? [] : [...items, ...items.map((item) => twisted(dice, item, field, 0.3))];
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, twisted(dice, one, name, share)]),
  );
}

/** Messages that a member has signed, as they arrive, with any of their fields at its extremes. */
function* lies(seed: number, tally: Tally): Generator<Message | undefined, void, undefined> {
  const dice = seededRandom(seed);
  const valid = validMessages();
  for (;;) {
    const share = some(dice, [0.02, 0.1, 0.5]);
    const lie = twisted(dice, some(dice, valid), '', share) as Message;
    const read = readMessage(encoded(lie), partitions);
    noted(tally, read ? 'read' : 'malformed');
    yield read && { ...read, pin };
  }
}

/**
 * Feeds a group that runs with lies to every member, for some of its time. Returns whether it elects
 * leaders of all partitions afterwards, and what its members store.
 */
export function liesToGroup(seed: number, count: number, tally: Tally) {
  const world = new World({ nodes: 5, voters: 3, partitions, seed, config: { ...limits, pin } });
  world.startAll();
  world.run(30_000);
  const source = lies(seed, tally);
  for (let index = 0; index < count; index += 1) {
    const message = source.next().value;
    if (message) world.feed(some(world.random, world.names), { kind: 'received', message });
    if (index % 50 === 0) world.run(100);
  }
  const stored = world.names.map((name) => storedBy(world, name));
  const all = Array.from({ length: partitions }, (_, partition) => partition);
  const elects = world.run(600_000, () => all.every((one) => world.leader(one) !== undefined));
  return { world, stored, elects };
}

/** The limits of the members that are lied to. */
export const limits = { nodesMax: 40, keysMax: 8, forgetAfterMs: 60_000 } as const;

function storedBy(world: World, name: string) {
  const state = world.process(name).state;
  if (state === undefined) throw new Error(`${name} has stopped`);
  const { gossip, election, contactedBy } = state;
  return {
    nodes: gossip.nodes.size,
    forgotten: gossip.forgotten.size,
    keys: Math.max(...[...gossip.nodes.values()].map(({ entries }) => entries.size)),
    contactedBy: contactedBy.length,
    skippedFavorites: election.skippedFavorites.length,
    knownAtQuery: election.memory.knownAtQuery.length,
  };
}
