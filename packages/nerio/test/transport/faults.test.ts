// Faulty connections: messages from a to b pass a proxy that can fail. All others pass freely.
import { type TcpProxy, tcpProxy } from '@leadership/testkit/faults';
import { blockLoop } from '@leadership/testkit/internal';
import { expect, test } from 'vitest';
import type { Message } from '../../src/index.ts';
import {
  AddressBook,
  type TcpMember,
  type TcpMemberOptions,
  tcpMember,
} from '../support/tcp-members.ts';

const ping = (beat: number): Message => ({ epoch: 4, item: { kind: 'ping', beat } });

interface Ground extends AsyncDisposable {
  readonly a: TcpMember;
  readonly b: TcpMember;
  readonly c: TcpMember;
  /** The path from a to b, for messages of a only. */
  readonly proxy: TcpProxy;
}

async function ground(options: Partial<TcpMemberOptions> = {}): Promise<Ground> {
  const book = new AddressBook();
  const b = await tcpMember('b', { book, ...options });
  const c = await tcpMember('c', { book, ...options });
  const proxy = await tcpProxy({ port: b.port });
  book.divert('a', 'b', proxy.port);
  const a = await tcpMember('a', { book, ...options });
  await Promise.all(['b', 'c'].map((name) => a.reported(`${name} mended`)));
  await Promise.all([b, c].map((one) => one.reported('a mended')));
  return {
    a,
    b,
    c,
    proxy,
    async [Symbol.asyncDispose]() {
      for (const one of [a, b, c]) await one.transport.close();
      await proxy[Symbol.asyncDispose]();
    },
  };
}

/** Sends a message from one member to another, and waits until it arrives. */
async function says(from: TcpMember, to: TcpMember, name: string, beat: number): Promise<void> {
  from.transport.send(name, ping(beat));
  await to.until(`beat ${beat}`, () =>
    to.received.some(({ item }) => item.kind === 'ping' && item.beat === beat),
  );
}

async function mendedAgain({ a, proxy }: Ground): Promise<void> {
  const before = a.updates.length;
  proxy.mend();
  await a.until(
    'b is in reach',
    () => a.transport.isReached('b') && a.updates.slice(before).includes('b mended'),
  );
}

test('a cut connection is reported, and restored after the repair; other connections are unaffected', async () => {
  await using all = await ground();
  const { a, b, c, proxy } = all;
  proxy.cut();
  await a.reported(/b failed: unreachable/);
  expect(a.transport.isReached('b')).toBe(false);
  await says(b, a, 'a', 1);
  await says(a, c, 'c', 2);
  await mendedAgain(all);
  await says(a, b, 'b', 3);
  // The connection in the other direction was up all the time.
  expect([...a.updates, ...b.updates].filter((line) => line.startsWith('parted'))).toEqual([]);
});

test('a connection whose peer no longer reads is detected by its silence', async () => {
  await using all = await ground();
  const { a, b, c, proxy } = all;
  proxy.halfOpen();
  await a.reported(/b failed: unreachable: member "b" has been silent for 400 ms/);
  // New connections hang as well.
  await says(a, c, 'c', 1);
  await says(b, a, 'a', 2);
  await mendedAgain(all);
  await says(a, b, 'b', 3);
});

test('an unanswered connection attempt is abandoned', async () => {
  await using all = await ground({ connectMs: 200 });
  all.proxy.halfOpen();
  await all.a.reported(/b failed: unreachable: member "b" has not answered within 200 ms/);
  await mendedAgain(all);
});

test.each(['to-server', 'to-client'] as const)(
  'a connection that is cut %s counts as failed; the opposite direction is unaffected',
  async (direction) => {
    await using all = await ground();
    const { a, b, proxy } = all;
    proxy.cutOneWay(direction);
    await a.reported(/b failed: unreachable/);
    await says(b, a, 'a', 1);
    await mendedAgain(all);
    await says(a, b, 'b', 2);
  },
);

test('the called member also detects that its caller is silent', async () => {
  const book = new AddressBook();
  await using b = await tcpMember('b', { book, reaches: [] });
  await using proxy = await tcpProxy({ port: b.port });
  book.divert('a', 'b', proxy.port);
  await using a = await tcpMember('a', { book, reaches: ['b'] });
  await a.reported('b mended');
  await b.reported('met life-of-a');
  proxy.halfOpen();
  await b.reported('parted from life-of-a');
});

test('messages on a slow connection arrive later, in their order', async () => {
  // A stall of a busy machine must not add up with the delay to a silence.
  await using all = await ground({ silenceMs: 3000 });
  const { a, b, proxy } = all;
  proxy.delay(120);
  for (let beat = 1; beat <= 20; beat += 1) {
    a.transport.send('b', { epoch: 4, item: { kind: 'verify', partition: 0, id: beat } });
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await b.until('all of it', () => b.received.length === 20);
  expect(b.received.map(({ item }) => item.kind === 'verify' && item.id)).toEqual(
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
  expect(a.updates.filter((line) => line.startsWith('b failed'))).toEqual([]);
});

test('messages sent during a fault are dropped, or replaced by the newest one after the repair', async () => {
  await using all = await ground();
  const { a, b, proxy } = all;
  proxy.cut();
  await a.reported(/b failed/);
  for (let beat = 1; beat <= 500; beat += 1) a.transport.send('b', ping(beat));
  await mendedAgain(all);
  await says(a, b, 'b', 1000);
  const beats = b.received.map(({ item }) => item.kind === 'ping' && item.beat);
  expect([[500, 1000], [1000]]).toContainEqual(beats);
});

test('a paused process does not consider the others silent', async () => {
  await using all = await ground();
  const { a, b, c } = all;
  for (let times = 1; times <= 4; times += 1) {
    blockLoop(1000);
    await says(a, b, 'b', times);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  expect(
    [a, b, c].flatMap(({ updates }) =>
      updates.filter((line) => /^[abc] failed.*silent|^parted/.test(line)),
    ),
  ).toEqual([]);
});
