// Hostile and broken peers: the cost of each, and the member that bears it.

import type { ByteWriter } from '@leadership/peer';
import { eventually } from '@leadership/testkit/adapter';
import { heldBytes } from '@leadership/testkit/internal';
import { expect, test } from 'vitest';
import type { Drop, Epoch, Message } from '../../src/index.ts';
import type { Item } from '../../src/protocol.ts';
import { addressBytesMax } from '../../src/transport/codec/limits.ts';
import { call } from '../../src/transport/frames/handshake.ts';
import { writeMessages } from '../../src/transport/frames/messages.ts';
import { closed, rawCaller, rawMember, rawSocket } from '../support/raw-peer.ts';
import { AddressBook, type TcpMember, tcpMember } from '../support/tcp-members.ts';
import { credentialsOf, keys } from '../support/wire.ts';

const ping = (beat: number): Message => ({ epoch: 4, item: { kind: 'ping', beat } });

/** Sends a message from one member to another, and waits until it arrives. */
async function says(from: TcpMember, to: TcpMember, name: string, beat: number): Promise<void> {
  from.transport.send(name, ping(beat));
  await to.until(`beat ${beat}`, () =>
    to.received.some(({ item }) => item.kind === 'ping' && item.beat === beat),
  );
}

/** Opens two members, neither of which is hostile. */
async function twoOf(book: AddressBook): Promise<readonly [TcpMember, TcpMember]> {
  // Attacker and members share one process, so the attack also delays the answers.
  const silenceMs = 2000;
  const a = await tcpMember('a', { book, keys, silenceMs });
  const c = await tcpMember('c', { book, keys, silenceMs });
  await a.reported('c mended');
  await c.reported('a mended');
  return [a, c];
}

const header = (version: number, rest: number): Buffer =>
  Buffer.concat([Buffer.from([0, 0, 0, rest + 1, version]), Buffer.alloc(rest)]);

test.each<readonly [string, Buffer, Drop]>([
  ['of a length that no frame has', Buffer.from([0xff, 0xff, 0xff, 0xff]), 'oversized'],
  ['longer than any greeting', Buffer.from([0, 0, 0x20, 1]), 'oversized'],
  ['of another version', header(9, 40), 'wrong-version'],
  ['of another group', header(1, 40), 'wrong-group'],
  ['of no length', Buffer.alloc(4), 'malformed'],
])('a frame %s ends the connection, and is counted', async (_, bytes, kind) => {
  await using a = await tcpMember('a', { book: new AddressBook(), keys });
  const socket = await rawSocket(a.port);
  socket.write(bytes);
  await closed(socket);
  await a.reported(`dropped ${kind}`);
  expect(a.transport.dropped).toMatchObject({ [kind]: 1 });
});

test('a forged, replayed, malformed or oversized frame of a known member ends the connection', async () => {
  const book = new AddressBook();
  await using a = await tcpMember('a', { book, keys });
  const b = credentialsOf('b', { keys });
  const misdeeds: readonly (readonly [
    Drop,
    (say: (kind: 'messages' | 'beat') => Buffer) => Buffer,
  ])[] = [
    [
      'forged',
      (say) => {
        const frame = say('beat');
        frame[frame.length - 1] = (frame.at(-1) ?? 0) ^ 1;
        return frame;
      },
    ],
    [
      'replayed',
      (say) => {
        const frame = say('beat');
        return Buffer.concat([frame, frame]);
      },
    ],
    ['malformed', (say) => say('messages')],
    ['oversized', () => Buffer.from([0, 1, 1, 0])],
  ];
  for (const [kind, misdeed] of misdeeds) {
    using caller = await rawCaller(a.port, b, 'a');
    caller.socket.write(misdeed((frame) => caller.session.writer.write(frame, (to) => to.uint(4))));
    await caller.closed;
    await a.reported(`dropped ${kind}`);
    expect(a.transport.dropped[kind]).toBe(1);
  }
  expect(a.received).toEqual([]);
});

test('a replay of a whole connection is refused', async () => {
  const book = new AddressBook();
  await using a = await tcpMember('a', { book, keys });
  const recorded: Buffer[] = [];
  {
    using caller = await rawCaller(a.port, credentialsOf('b', { keys }), 'a');
    recorded.push(caller.session.writer.write('beat', (to) => to.uint(2)));
    caller.socket.write(Buffer.concat(recorded));
    await a.reported('met life-of-b');
  }
  await a.reported('parted from life-of-b');
  const { hello } = call(credentialsOf('b', { keys }), 'a', Buffer.alloc(16));
  const socket = await rawSocket(a.port);
  socket.write(Buffer.concat([hello, ...recorded]));
  await closed(socket);
  expect(a.transport.dropped.forged).toBe(1);
  expect(a.updates.filter((line) => line === 'met life-of-b')).toHaveLength(1);
});

test('a peer that sends nothing, or half a greeting, is disconnected', async () => {
  await using a = await tcpMember('a', { book: new AddressBook(), connectMs: 200 });
  const [silent, slow] = await Promise.all([rawSocket(a.port), rawSocket(a.port)]);
  slow.write(Buffer.from([0, 0, 1]));
  await Promise.all([closed(silent), closed(slow)]);
  await a.until('both are counted', () => a.transport.dropped.flood === 2);
});

test('many connections from one address do not block callers from another address', async () => {
  const book = new AddressBook();
  await using a = await tcpMember('a', { book, keys });
  const sockets = await Promise.all(
    Array.from({ length: 300 }, () => rawSocket(a.port, '127.0.0.2').catch(() => undefined)),
  );
  const open = (): number => sockets.filter((socket) => socket?.readyState === 'open').length;
  await a.until('most are sent away', () => open() <= 64);
  expect(a.transport.dropped.flood).toBeGreaterThanOrEqual(300 - 64);
  await using b = await tcpMember('b', { book, keys });
  await b.reported('a mended');
  await says(b, a, 'a', 1);
  for (const socket of sockets) socket?.destroy();
});

test('a peer that never reads costs bounded memory, and does not affect other peers', async () => {
  const book = new AddressBook();
  await using b = await rawMember(credentialsOf('b', { keys }));
  book.divert('a', 'b', b.port);
  const [a, c] = await twoOf(book);
  await a.reported('b mended');
  b.stopReading();
  const before = await heldBytes();
  const tokens = [1n, 2n, 3n];
  let beat = 0;
  // Repeated until the limit takes effect, and with every connection: far more than all buffers
  // hold.
  for (
    const calls = b.calls;
    b.calls < calls + 2;
    await new Promise((resolve) => setImmediate(resolve))
  ) {
    for (let times = 0; times < 500; times += 1) {
      beat += 1;
      a.transport.send('b', {
        epoch: 4,
        item: { kind: 'learned', beat, tokens, remembers: true, epochMax: 1 },
      });
      a.transport.send('b', { epoch: 4, item: { kind: 'verify', partition: 0, id: beat } });
    }
    if (beat % 5000 === 0) await says(a, c, 'c', beat);
    b.stopReading();
  }
  await a.reported(/b failed: unreachable: member "b" has been silent/);
  expect(a.transport.dropped.unsent).toBeGreaterThan(0);
  expect((await heldBytes()) - before).toBeLessThan(2_000_000);
  expect(
    [...a.updates, ...c.updates].filter(
      (line) => /^[ac] failed/.test(line) && !line.includes('not a HOST'),
    ),
  ).toEqual([]);
  for (const one of [a, c]) await one.transport.close();
});

/** Counts both ends of every connection in this process. */
const socketsInUse = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

test('a peer that never closes its end keeps no connection open, neither beside a newer one nor after close()', async () => {
  const book = new AddressBook();
  await using b = await rawMember(credentialsOf('b', { keys }), true);
  book.divert('a', 'b', b.port);
  await eventually('nothing is left of the tests before', () => socketsInUse() === 0);
  const a = await tcpMember('a', { book, keys, heartbeatMs: 20, silenceMs: 300, reaches: ['b'] });
  const ours = (): number => socketsInUse() - b.open;
  const isReached = (): boolean => a.transport.isReached('b');
  await a.until('there is one', isReached);
  // The link is no longer wanted: a ends it, and b ignores the end.
  a.transport.reach([]);
  await a.until('the first is ended', () => !isReached());
  a.transport.reach(['b']);
  await a.until('only another is left', () => isReached() && ours() === 1);
  a.transport.reach([]);
  await a.until('the second is ended', () => !isReached());
  a.transport.reach(['b']);
  await a.transport.close();
  await a.until('none is left', () => ours() === 0);
});

test.each<readonly [string, (to: ByteWriter) => void]>([
  ['names no process', () => undefined],
  ['names a process of no incarnation', (to) => [to.text(''), to.text('10.0.0.7')]],
  [
    'names a process with an address that is too long',
    (to) => [to.text('x'), to.text('a'.repeat(addressBytesMax + 1))],
  ],
  ['has additional bytes', (to) => [to.text('x'), to.text('10.0.0.7'), to.byte(0)]],
])(
  'a notification about a process of the same name that %s is malformed, and not reported',
  async (_, fill) => {
    const book = new AddressBook();
    await using b = await rawMember(credentialsOf('b', { keys }), false, (writer) =>
      writer.write('displaced', fill),
    );
    await using a = await tcpMember('a', {
      book,
      keys,
      addresses: (name) => (name === 'b' ? `127.0.0.1:${b.port}` : undefined),
    });
    await a.reported('dropped malformed');
    expect(a.updates.filter((line) => line.startsWith('displaced'))).toEqual([]);
  },
);

test('a peer that reads late receives the newest messages', async () => {
  const book = new AddressBook();
  await using b = await rawMember(credentialsOf('b', { keys }));
  book.divert('a', 'b', b.port);
  await using a = await tcpMember('a', { book, keys, silenceMs: 60_000 });
  await a.reported('b mended');
  b.stopReading();
  const say = (beat: number, epochMax: number): void => {
    const item: Item = { kind: 'learned', beat, tokens: [1n, 2n, 3n], remembers: true, epochMax };
    a.transport.send('b', { epoch: 4, item });
  };
  const last = 60_000;
  for (let beat = 1; beat <= last; beat += 1) {
    say(beat, 0);
    if (beat % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  b.readOn();
  await a.until('the last is read', () => b.read.at(-1)?.includes(`"beat":${last}`) === true);
  expect(b.count).toBeLessThan(last / 2);
});

test('a flooding peer is limited to its rate, and other peers are unaffected', async () => {
  const book = new AddressBook();
  const [a, c] = await twoOf(book);
  using caller = await rawCaller(a.port, credentialsOf('b', { keys }), 'a');
  const { socket, session } = caller;
  let isOver = false;
  let said = 0;
  const began = performance.now();
  const flood = (): void => {
    while (!isOver && !socket.destroyed) {
      said += 1;
      const frame = session.writer.write('messages', (to) => {
        to.uint(4);
        for (let times = 0; times < 50; times += 1) to.raw(Buffer.from([4, 7]));
      });
      if (!socket.write(frame)) return;
    }
  };
  // Deferred: otherwise no other code in this process would run while the kernel has buffer space.
  socket.on('drain', () => setImmediate(flood));
  flood();
  for (let beat = 1; beat <= 60; beat += 1) {
    await says(c, a, 'a', 1000 + beat);
    await says(a, c, 'c', beat);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  isOver = true;
  const seconds = (performance.now() - began) / 1000;
  const seen = a.received.filter(({ from }) => from === 'b').length;
  expect(seen).toBeGreaterThan(0);
  // The rate is 1000, and 20 for each of 3 partitions; the burst is a quarter of a second, and one
  // frame.
  expect(seen).toBeLessThan(1060 * (seconds + 0.25) + 100);
  expect(said * 50).toBeGreaterThan(2 * seen);
  expect(a.transport.dropped.flood).toBeGreaterThan(0);
  expect(c.updates.filter((line) => line.startsWith('a failed'))).toEqual([]);
  for (const one of [a, c]) await one.transport.close();
});

/**
 * Returns the epoch that takes longest to read: 31 members, and as many sets of 16 of them as fit.
 */
function costlyEpoch(): Epoch {
  const names = Array.from({ length: 31 }, (_, index) => `m${index}`);
  const sets = Array.from({ length: 1024 }, (_, first) =>
    Array.from({ length: 16 }, (_one, step) => names[(first + step) % 31] ?? ''),
  );
  return {
    number: 9,
    members: names.map((member) => ({ member })),
    quorums: { kind: 'sets', sets },
    tokens: [],
  };
}

test('a peer that floods with messages that take long to read has a lower limit', async () => {
  const book = new AddressBook();
  const [a, c] = await twoOf(book);
  using caller = await rawCaller(a.port, credentialsOf('b', { keys }), 'a');
  const { socket, session } = caller;
  const item: Item = { kind: 'running', epoch: costlyEpoch() };
  const ends = { from: 'life-of-b', to: 'life-of-a' };
  const say = (): Buffer =>
    session.writer.write('messages', (to) => void writeMessages(to, [{ epoch: 4, item }], ends));
  const began = performance.now();
  let bytes = 0;
  for (let times = 0; times < 200; times += 1) {
    const frame = say();
    bytes = frame.length;
    socket.write(frame);
  }
  for (let beat = 1; beat <= 60; beat += 1) {
    await says(c, a, 'a', 1000 + beat);
    await says(a, c, 'c', beat);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const seconds = (performance.now() - began) / 1000;
  const seen = a.received.filter(({ from }) => from === 'b').length;
  expect(seen).toBeGreaterThan(0);
  // Each 256 bytes count as one more of 1060 messages a second; the burst is a quarter of a second,
  // and one frame. A starved machine reads even more slowly, and then the limit need not act.
  expect(seen).toBeLessThanOrEqual((1060 * (seconds + 0.25)) / (bytes / 256) + 1);
  for (const one of [a, c]) await one.transport.close();
});

test('a peer cannot make a member call an address that `mayCall` refuses', async () => {
  await using victim = await rawMember(credentialsOf('elsewhere'));
  const book = new AddressBook();
  book.set('elsewhere', victim.port);
  const reach = (one: TcpMember): void => {
    one.transport.reach(['elsewhere']);
    one.transport.send('elsewhere', ping(1));
  };
  await using open = await tcpMember('a', { book });
  reach(open);
  await eventually('the open member calls', () => victim.calls > 0);
  await open.transport.close();
  const { calls } = victim;
  await using careful = await tcpMember('c', { book, mayCall: ({ port }) => port !== victim.port });
  reach(careful);
  await careful.reported(
    'elsewhere failed: unreachable: member "elsewhere" is not connected to: mayCall returned false',
  );
  expect(victim.calls).toBe(calls);
});
