import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { keyringOf } from '@leadership/core/internal/transport';
import { afterEach, describe, expect, test } from 'vitest';
import type { Message } from '../../src/protocol.ts';
import { type Envelope, openEnvelope, sealEnvelope } from '../../src/transport/envelope.ts';
import {
  type GossipTransportOptions,
  messageBytesMax,
  openGossipTransport,
} from '../../src/transport/gossip-transport.ts';
import type { GossipTransport } from '../../src/transport/transport.ts';
import { randomFrom } from '../support/random.ts';

const pin = 'cd'.repeat(16);
const keys = { sign: 'a', accept: { a: 'a secret of the group' } };
const partitions = 64;
const closes: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0)) await close();
});

/** A digest; `size` rows make it larger. */
function message(from: string, size = 0): Message {
  const row = (name: string) => ({
    ...{ name, generation: 5, beat: 1, clock: 7, sequence: 1, version: 1, floor: 0 },
  });
  const rows = Array.from({ length: size }, (_, index) => row(`row-${index}`));
  return { pin, from: row(from), body: { kind: 'digest', range: undefined, rows } };
}

async function freePort(): Promise<number> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  await new Promise<void>((closed) => socket.close(closed));
  return port;
}

interface Member {
  readonly name: string;
  readonly transport: GossipTransport;
  readonly received: Message[];
  readonly dropped: string[];
  readonly failed: string[];
}

async function open(options: Partial<GossipTransportOptions> = {}): Promise<Member> {
  const name = options.member ?? `127.0.0.1:${await freePort()}`;
  const [received, dropped, failed]: [Message[], string[], string[]] = [[], [], []];
  const transport = await openGossipTransport(
    { group: 'g', member: name, partitions, configured: [], keys, ...options },
    {
      received: (one) => received.push(one),
      dropped: (reason) => dropped.push(reason),
      failed: (member, error) => failed.push(`${member}: ${error.message}`),
    },
  );
  closes.push(() => transport.close());
  return { name, transport, received, dropped, failed };
}

/** A socket that is no member, and what arrives there. */
async function stranger(): Promise<{ socket: Socket; name: string; arrived: Buffer[] }> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const arrived: Buffer[] = [];
  socket.on('message', (bytes) => arrived.push(bytes));
  closes.push(() => new Promise<void>((closed) => socket.close(closed)));
  return { socket, name: `127.0.0.1:${socket.address().port}`, arrived };
}

function portOf(name: string): number {
  return Number(name.split(':')[1]);
}

describe('messages between members', () => {
  test('arrive, in a datagram or over a stream', async () => {
    const [a, b] = [await open(), await open()];
    const large = message(a.name, 500);
    a.transport.send(b.name, message(a.name));
    await expect.poll(() => b.received).toEqual([message(a.name)]);
    // Names of any length leave room for a message of that size.
    expect(
      messageBytesMax({ group: 'g', member: 'x'.repeat(255), partitions, configured: [] }),
    ).toBeGreaterThan(600);
    a.transport.send(b.name, large);
    await expect.poll(() => b.received).toEqual([message(a.name), large]);
    b.transport.send(a.name, message(b.name));
    await expect.poll(() => a.received.length).toBe(1);
    expect([...a.failed, ...b.failed, ...a.dropped, ...b.dropped]).toEqual([]);
  });

  test.each([
    ['another key', { keys: { sign: 'a', accept: { a: 'another secret of it' } } }, 'forged'],
    ['a key of another id', { keys: { sign: 'b', accept: { b: keys.accept.a } } }, 'forged'],
    ['another group', { group: 'h' }, 'wrong-group'],
  ] as const)('of a member with %s are dropped', async (_what, options, reason) => {
    const [a, b] = [await open(options), await open()];
    a.transport.send(b.name, message(a.name));
    a.transport.send(b.name, message(a.name, 500));
    await expect.poll(() => b.dropped).toEqual([reason, reason]);
    expect(b.received).toEqual([]);
  });

  test('of a member without keys are dropped, and it does not read signed ones', async () => {
    const name = `127.0.0.1:${await freePort()}`;
    const { keys: _none, ...without } = { keys, member: name };
    const a = await openGossipTransport(
      { group: 'g', partitions, configured: [], ...without },
      { received: () => expect.unreachable(), dropped: () => undefined, failed: () => undefined },
    );
    closes.push(() => a.close());
    const b = await open();
    const socket = await stranger();
    const bare = sealEnvelope(Buffer.alloc(8), undefined, envelope(socket.name, b.name));
    socket.socket.send(bare, portOf(b.name), '127.0.0.1');
    a.send(b.name, message(name));
    b.transport.send(name, message(b.name));
    await expect.poll(() => b.dropped.length).toBeGreaterThan(0);
    expect(b.received).toEqual([]);
  });

  test('do not leave the host without keys', async () => {
    const port = await freePort();
    await expect(open({ member: `0.0.0.0:${port}`, keys: undefined as never })).rejects.toThrow(
      /without authentication, so every host could vote: set keys/,
    );
    const a = await open({ keys: undefined as never });
    a.transport.send('192.0.2.1:80', message(a.name));
    expect(a.failed).toEqual([expect.stringContaining('192.0.2.1')]);
    await open({ member: `0.0.0.0:${port}`, keys: undefined as never, insecure: true });
  });
});

function envelope(from: string, to: string, content: Buffer = Buffer.alloc(0)): Envelope {
  return { from, to, cookie: Buffer.alloc(8), echo: Buffer.alloc(8), content };
}

describe('an address that is not proved', () => {
  test('is sent no more than arrived in its name, until it returns its cookie', async () => {
    const a = await open({ keys: undefined as never, group: 'g' });
    const victim = await stranger();
    const attacker = await stranger();
    const tag = Buffer.from(await tagOf(a, victim));
    const question = sealEnvelope(tag, undefined, envelope(victim.name, a.name, Buffer.from([9])));
    victim.arrived.length = 0;
    attacker.socket.send(question, portOf(a.name), '127.0.0.1');
    await expect.poll(() => a.dropped).toEqual(['malformed']);
    for (let time = 0; time < 20; time += 1) a.transport.send(victim.name, message(a.name, 10));
    await expect.poll(() => victim.arrived.length).toBe(1);
    const [asked = Buffer.alloc(0)] = victim.arrived;
    expect(asked.length).toBeLessThanOrEqual(question.length);
    // The victim is a member after all: it returns the cookie.
    const open1 = openEnvelope(tag, undefined, asked);
    if (typeof open1 === 'string') throw new Error(open1);
    const proof = { ...envelope(victim.name, a.name), echo: open1.cookie };
    victim.socket.send(sealEnvelope(tag, undefined, proof), portOf(a.name), '127.0.0.1');
    await expect
      .poll(() => {
        a.transport.send(victim.name, message(a.name, 10));
        return victim.arrived.some((bytes) => bytes.length > 2 * question.length);
      })
      .toBe(true);
  });

  /** The tag of the group, from a first question that the member asks. */
  async function tagOf(a: Member, { name, arrived }: { name: string; arrived: Buffer[] }) {
    a.transport.send(name, message(a.name, 10));
    await expect.poll(() => arrived.length).toBe(1);
    return (arrived[0] ?? Buffer.alloc(0)).subarray(0, 8);
  }
});

describe('hostile bytes', () => {
  test('are never accepted with a key', () => {
    const keyring = keyringOf(keys);
    const tag = Buffer.alloc(8, 1);
    const random = randomFrom(1);
    const valid = sealEnvelope(tag, keyring, envelope('a:1', 'b:2', Buffer.alloc(100, 3)));
    expect(openEnvelope(tag, keyring, valid)).toMatchObject({ from: 'a:1', to: 'b:2' });
    for (let datagram = 0; datagram < 30_000; datagram += 1) {
      const bytes = Buffer.from(valid);
      const at = Math.floor(random() * bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 + Math.floor(random() * 255));
      const length = random() < 0.1 ? Math.floor(random() * bytes.length) : bytes.length;
      expect(typeof openEnvelope(tag, keyring, bytes.subarray(0, length))).toBe('string');
    }
  });

  test('on a stream are dropped, and a frame that is too long is not read', async () => {
    const a = await open();
    const socket = connect(portOf(a.name), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(Buffer.alloc(10, 0xff));
    await once(socket, 'close');
    expect(a.dropped).toEqual(['malformed']);
    const other = connect(portOf(a.name), '127.0.0.1');
    const short = Buffer.alloc(24);
    short.writeUInt32BE(20);
    const arrived: Buffer[] = [];
    other.on('data', (bytes) => arrived.push(bytes));
    other.write(short);
    await once(other, 'close');
    expect(a.dropped).toEqual(['malformed', 'wrong-group']);
    expect(arrived, 'nothing is ever sent back').toEqual([]);
  });
});
