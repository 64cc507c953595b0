import { isDeepStrictEqual } from 'node:util';
import { ByteWriter } from '@leadership/peer';
import { seededRandom } from '@leadership/testkit/internal';
import { describe, expect, test } from 'vitest';
import { sizeOf } from '../../src/protocol/declared.ts';
import { rowOf, selfOf } from '../../src/protocol/gossip/context.ts';
import { digestsOf } from '../../src/protocol/gossip/digests.ts';
import { mergeRow } from '../../src/protocol/gossip/merging.ts';
import { entryBytes, headerBytes, rowBytes } from '../../src/protocol/gossip/size.ts';
import { type Message, newMember, scuttlebuttRules, step } from '../../src/protocol.ts';
import { readMessage, writeMessage } from '../../src/transport/codec/message-form.ts';
import { GossipMember } from '../support/gossip-group.ts';
import { World } from '../support/world.ts';

const partitions = 10;
const pin = 'ab'.repeat(16);

function encoded(message: Message): Buffer {
  const writer = new ByteWriter();
  writeMessage(writer, message);
  return Buffer.from(writer.bytes());
}

/** The messages of a group with losses, restarts, resignations and entries of the application. */
function messages(): readonly Message[] {
  const sent: Message[] = [];
  const size = { nodes: 7, voters: 3, partitions, seed: 1, loss: 0.1, wallSkewMs: 5000 };
  const world = new World({ ...size, config: { pin, budget: 600 } });
  world.onSend = (_from, _to, message) => sent.push(message);
  world.startAll();
  for (let round = 0; round < 30; round += 1) {
    const name = world.names[round % world.names.length] ?? '';
    const value = round % 3 === 0 ? undefined : 'ä'.repeat(round);
    world.feed(name, { kind: 'set', key: `key-${round % 4}`, value });
    world.run(1000);
    if (round % 10 === 9) {
      world.kill(name);
      world.start(name);
    }
    const leader = world.leader(round % partitions);
    if (leader) world.feed(leader, { kind: 'resign', partition: round % partitions, atLeastMs: 0 });
  }
  expect(world.violations).toEqual([]);
  return sent;
}

const clocks = new Set(['clock', 'bound', 'horizon']);

/** The message with clocks in whole microseconds, rounded down. */
function rounded(value: unknown, key = ''): unknown {
  if (typeof value === 'number')
    return clocks.has(key) ? Math.floor(value * 1000 + 1e-6) / 1000 : value;
  if (Array.isArray(value)) return Array.from(value, (one) => rounded(one));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(entries.map(([name, one]) => [name, rounded(one, name)]));
}

const sent = messages();

describe('the encoding of messages', () => {
  test('keeps every message of a group, and clocks rounded down', () => {
    const kinds = new Set(sent.map(({ body }) => body.kind));
    expect(kinds).toEqual(new Set(['digest', 'reply', 'deltas']));
    for (const message of sent) {
      const bytes = encoded(message);
      const read = readMessage(bytes, partitions);
      const kept = [rounded(read), rounded(message)] as const;
      // To expect takes much longer than to compare: it only has to show the difference.
      if (!isDeepStrictEqual(...kept)) expect(kept[0]).toEqual(kept[1]);
      if (read && !encoded(read).equals(bytes)) expect(encoded(read)).toEqual(bytes);
      const clock = read?.from.clock ?? Number.NaN;
      if (!(clock <= message.from.clock)) expect(clock).toBeLessThanOrEqual(message.from.clock);
    }
  });

  test('is no larger than the gossip counts, so that it fits into a datagram', () => {
    for (const message of sent) {
      const deltas = 'deltas' in message.body ? message.body.deltas : [];
      const rows = 'rows' in message.body ? message.body.rows : [];
      const lacks = 'lacks' in message.body ? message.body.lacks : [];
      let counted = headerBytes + rowBytes(message.from);
      for (const row of [...rows, ...lacks]) counted += rowBytes(row);
      for (const { row, declaration, entries } of deltas) {
        counted += rowBytes(row) + 8 + (declaration ? sizeOf(declaration) : 0);
        for (const { key, value, version } of entries) counted += entryBytes(key, value, version);
      }
      const isRanged = message.body.kind === 'digest' && message.body.range !== undefined;
      const length = encoded(message).length;
      expect(length).toBeLessThanOrEqual(counted + (isRanged ? 2 * 256 : 0));
      // One declaration that is larger than a datagram is sent alone, over a stream.
      if (deltas.length < 2 && deltas.some(({ declaration }) => declaration)) continue;
      expect(length).toBeLessThanOrEqual(600);
    }
  });

  test('refuses a token that no member could read', () => {
    expect(() => new ByteWriter().token(2n ** 63n)).toThrow(RangeError);
  });

  test('of a digest fits also if names have different lengths', () => {
    const member = new GossipMember('a', { budget: 1200 });
    const random = seededRandom(5);
    for (let index = 0; index < 40; index += 1) {
      const name = `${index}`.padEnd(1 + Math.floor(random() * 254), 'x');
      const row = {
        name,
        generation: 2 ** 50,
        beat: 2,
        clock: 1e6,
        sequence: 1,
        version: 1,
        floor: 0,
      };
      member.with(1, (context) => mergeRow(context, row, true));
    }
    const digests = member.with(2, digestsOf);
    expect(digests.length).toBeGreaterThan(5);
    const from = member.with(2, (context) => rowOf(context, selfOf(context)));
    for (const body of digests)
      expect(encoded({ pin, from, body }).length).toBeLessThanOrEqual(1200);
  });
});

describe('hostile datagrams', () => {
  const valid = sent.filter((_, index) => index % 37 === 0).map(encoded);
  const count = 10_000;

  /** Returns changed bytes of a valid message. */
  function fuzzed(random: () => number): Buffer {
    const bytes = Buffer.from(valid[Math.floor(random() * valid.length)] ?? []);
    const changes = 1 + Math.floor(random() * 4);
    for (let change = 0; change < changes; change += 1)
      bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    const shape = random();
    if (shape < 0.1) return bytes.subarray(0, Math.floor(random() * bytes.length));
    return shape < 0.2 ? Buffer.concat([bytes, bytes.subarray(0, 1)]) : bytes;
  }

  test.each([1, 2])('are read only if a writer can have produced them (seed %i)', (seed) => {
    const random = seededRandom(seed);
    let refused = 0;
    for (let datagram = 0; datagram < count; datagram += 1) {
      const bytes = fuzzed(random);
      const read = readMessage(bytes, partitions);
      if (read === undefined) refused += 1;
      else if (!encoded(read).equals(bytes)) expect(encoded(read)).toEqual(bytes);
    }
    expect(refused).toBeGreaterThan(count / 20);
    for (let datagram = 0; datagram < count; datagram += 1) {
      const bytes = Buffer.from(Array.from({ length: datagram % 60 }, () => random() * 256));
      const read = readMessage(bytes, partitions);
      if (read !== undefined) expect(read).toBeUndefined();
    }
  });

  test('do not stop a member, and do not make it store more than its limits', () => {
    const random = seededRandom(3);
    const world = new World({ seed: 1, nodes: 3, voters: 3, partitions });
    const config = { ...world.process('m0').config, pin, nodesMax: 20, keysMax: 8 };
    const start = { now: 0 as never, wallMicros: 1.8e15 };
    let state = newMember(scuttlebuttRules, config, { generation: 1.8e15, seed: 1 }, start);
    for (let datagram = 0; datagram < count / 4; datagram += 1) {
      const message = readMessage(fuzzed(random), partitions);
      if (message === undefined) continue;
      const moment = { now: datagram as never, wallMicros: 1.8e15 + datagram };
      ({ state } = step(
        scuttlebuttRules,
        state,
        { kind: 'received', message: { ...message, pin } },
        moment,
      ));
    }
    expect(state.gossip.nodes.size).toBeLessThanOrEqual(config.nodesMax + config.voters.length);
    for (const { entries } of state.gossip.nodes.values())
      expect(entries.size).toBeLessThanOrEqual(config.keysMax);
  });
});
