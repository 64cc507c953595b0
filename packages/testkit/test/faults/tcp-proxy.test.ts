import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  expectNoResourcesLeft,
  resourcesInUse,
  type TcpProxy,
  tcpProxy,
} from '../../src/faults.ts';
import { client, type EchoServer, echoServer } from './echo-server.ts';

const soon = { timeout: 60_000, interval: 1 };

describe('a TCP proxy', () => {
  let server: EchoServer;
  let proxy: TcpProxy;
  beforeEach(async () => {
    server = await echoServer();
    proxy = await tcpProxy({ port: server.port });
  });
  afterEach(async () => {
    await proxy[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  test('forwards all bytes in both directions, and counts them', async () => {
    using one = await client(proxy.port);
    await one.echoes('hello');
    one.end();
    expect(await one.over).toBe('end');
    await vi.waitUntil(() => proxy.connections === 0, soon);
    expect(proxy.counters).toEqual({
      accepted: 1,
      refused: 0,
      bytesToServer: 5,
      bytesToClient: 5,
      bytesDiscarded: 0,
    });
  });

  test('forwards megabytes unchanged to a slow reader', async () => {
    const sent = randomBytes(8 << 20);
    const socket = connect(proxy.port, '127.0.0.1');
    const received = createHash('sha256');
    let bytes = 0;
    socket.on('data', (chunk) => {
      received.update(chunk);
      bytes += chunk.length;
      socket.pause();
      setImmediate(() => socket.resume());
    });
    socket.end(sent);
    await once(socket, 'close');
    expect([bytes, received.digest('hex')]).toEqual([
      sent.length,
      createHash('sha256').update(sent).digest('hex'),
    ]);
  });

  test('that delays keeps all pieces that a reader does not take, and delays them once', async () => {
    proxy.delay(300);
    const warned: Error[] = [];
    const warn = (warning: Error): void => void warned.push(warning);
    process.on('warning', warn);
    const socket = connect(proxy.port, '127.0.0.1').setNoDelay(true).pause();
    const piece = randomBytes(1 << 20);
    for (let sent = 0; sent < 24; sent += 1) socket.write(piece);
    socket.end();
    await vi.waitUntil(() => proxy.counters.bytesToServer > piece.length, soon);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    let bytes = 0;
    socket.on('data', (chunk) => (bytes += chunk.length)).resume();
    await once(socket, 'close');
    process.off('warning', warn);
    expect(bytes).toBe(24 * piece.length);
    expect(warned).toEqual([]);
  });

  test('that is cut resets every connection, and every new one, until it is repaired', async () => {
    using before = await client(proxy.port);
    await before.echoes('x');
    proxy.cut();
    expect(await before.over).toBe('ECONNRESET');
    using during = await client(proxy.port);
    expect(await during.over).toBe('ECONNRESET');
    expect(proxy.counters).toMatchObject({ accepted: 1, refused: 1 });
    proxy.mend();
    using after = await client(proxy.port);
    await after.echoes('again');
  });

  test('that is half open accepts connections and drops all data; the repair resets them', async () => {
    using silent = await client(proxy.port);
    using old = await client(proxy.port);
    await old.echoes('1');
    proxy.halfOpen();
    using fresh = await client(proxy.port);
    old.say('lost');
    fresh.say('lost too');
    await vi.waitUntil(() => proxy.counters.bytesDiscarded === 12, soon);
    expect(server.seen).toEqual(['1']);
    proxy.mend();
    expect(await old.over).toBe('ECONNRESET');
    expect(await fresh.over).toBe('ECONNRESET');
    await silent.echoes('2');
  });

  test('that is silenced drops all further data and ends of its connections, and serves new ones', async () => {
    using old = await client(proxy.port);
    await old.echoes('1');
    proxy.silence();
    using fresh = await client(proxy.port);
    old.say('lost');
    await fresh.echoes('2');
    await vi.waitUntil(() => proxy.counters.bytesDiscarded === 4, soon);
    old.end();
    fresh.end();
    expect(await fresh.over).toBe('end');
    expect(server.seen).toEqual(['1', '2']);
    expect(proxy.connections).toBe(1);
    proxy.mend();
    expect(await old.over).toBe('ECONNRESET');
  });

  test.each(['to-server', 'to-client'] as const)(
    'that is cut in one direction, %s, drops its data and forwards the other direction',
    async (direction) => {
      using one = await client(proxy.port);
      await one.echoes('1');
      proxy.cutOneWay(direction);
      one.say('2');
      await vi.waitUntil(() => proxy.counters.bytesDiscarded === 1, soon);
      expect(server.seen).toEqual(direction === 'to-server' ? ['1'] : ['1', '2']);
      expect(one.said).toBe('1');
      proxy.mend();
      expect(await one.over).toBe('ECONNRESET');
    },
  );

  test('never continues a stream behind a gap, whichever faults follow each other', async () => {
    using one = await client(proxy.port);
    await one.echoes('1');
    const toServer = proxy.cutOneWay('to-server');
    one.say('lost');
    await vi.waitUntil(() => proxy.counters.bytesDiscarded === 4, soon);
    // The other direction has lost nothing, and another fault keeps the gap from being noticed.
    const all = proxy.halfOpen();
    toServer[Symbol.dispose]();
    one.say('lost too');
    await vi.waitUntil(() => proxy.counters.bytesDiscarded === 12, soon);
    all[Symbol.dispose]();
    expect(await one.over).toBe('ECONNRESET');
    expect(server.seen).toEqual(['1']);
  });

  test('ends only the disposed one of several faults', async () => {
    const first = proxy.refuse();
    const second = proxy.cut();
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    using refused = await client(proxy.port);
    expect(await refused.over).toBe('ECONNRESET');
    second[Symbol.dispose]();
    using served = await client(proxy.port);
    await served.echoes('1');
  });

  test('that resets ends its connections, and serves new ones', async () => {
    using old = await client(proxy.port);
    await old.echoes('1');
    proxy.reset();
    expect(await old.over).toBe('ECONNRESET');
    using fresh = await client(proxy.port);
    await fresh.echoes('2');
  });

  test('that refuses resets new connections, and serves the open ones', async () => {
    using old = await client(proxy.port);
    await old.echoes('1');
    proxy.refuse();
    using fresh = await client(proxy.port);
    expect(await fresh.over).toBe('ECONNRESET');
    await old.echoes('2');
    expect(proxy.counters).toMatchObject({ accepted: 1, refused: 1 });
  });

  test.each(['to-server', 'to-client', undefined] as const)(
    'that holds, %s, delivers all bytes and the end in the end, and no connection notices',
    async (direction) => {
      using one = await client(proxy.port);
      await one.echoes('1');
      const held = proxy.hold(direction);
      one.say('2');
      await vi.waitUntil(() => proxy.counters.bytesToServer === 2, soon);
      one.say('3');
      one.end();
      await vi.waitUntil(() => proxy.counters.bytesToServer === 3, soon);
      if (direction === 'to-client')
        await vi.waitUntil(() => proxy.counters.bytesToClient === 3, soon);
      expect(server.seen.join('')).toBe(direction === 'to-client' ? '123' : '1');
      expect(one.said).toBe('1');
      held[Symbol.dispose]();
      await one.hears('123');
      expect(await one.over).toBe('end');
      expect(proxy.counters.bytesDiscarded).toBe(0);
    },
  );

  test('that throttles delivers all bytes, and no more of them than the limit', async () => {
    const bytesPerSecond = 4 << 20;
    const sent = randomBytes(1 << 20);
    const throttled = proxy.throttle(bytesPerSecond);
    const beganAt = performance.now();
    const socket = connect(proxy.port, '127.0.0.1');
    let bytes = 0;
    const received = createHash('sha256');
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      received.update(chunk);
    });
    socket.end(sent);
    await vi.waitUntil(() => bytes > sent.length / 2, soon);
    // The first piece, of 20 ms, is delivered at once.
    const passedMs = performance.now() - beganAt + 20;
    expect(bytes).toBeLessThanOrEqual((bytesPerSecond * passedMs) / 1000);
    throttled[Symbol.dispose]();
    await once(socket, 'close');
    expect([bytes, received.digest('hex')]).toEqual([
      sent.length,
      createHash('sha256').update(sent).digest('hex'),
    ]);
  });

  test('that holds or throttles takes from a sender only what fits into its buffers', async () => {
    const held = proxy.hold();
    const socket = connect(proxy.port, '127.0.0.1');
    const sent = 24 << 20;
    let bytes = 0;
    socket.on('data', (chunk) => (bytes += chunk.length)).end(Buffer.alloc(sent));
    await vi.waitUntil(() => proxy.counters.bytesToServer > 1 << 20, soon);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(proxy.counters.bytesToServer).toBeLessThan(2 << 20);
    held[Symbol.dispose]();
    await once(socket, 'close');
    expect(bytes).toBe(sent);
  });

  test('that delays delivers in order, and not before the delay', async () => {
    using one = await client(proxy.port);
    proxy.delay(60);
    const beganAt = performance.now();
    one.say('slow');
    await vi.waitUntil(() => proxy.counters.bytesToServer === 4, soon);
    proxy.mend();
    one.say(' and swift');
    await one.hears('slow and swift');
    expect(performance.now() - beganAt).toBeGreaterThanOrEqual(59);
    expect(server.seen.join('')).toBe('slow and swift');
  });

  test('reports that its server is not listening', async () => {
    await server[Symbol.asyncDispose]();
    using one = await client(proxy.port);
    expect(await one.over).toBe('ECONNRESET');
  });

  test('that is disposed ends every connection, also with delayed bytes, and leaves no resources', async () => {
    await proxy[Symbol.asyncDispose]();
    const before = resourcesInUse();
    proxy = await tcpProxy({ port: server.port });
    proxy.delay(60_000);
    // More than one, so that a timer of the runner that ends meanwhile cannot hide a remaining one.
    const clients = await Promise.all(Array.from({ length: 3 }, () => client(proxy.port)));
    for (const one of clients) one.say('never heard');
    await vi.waitUntil(() => proxy.counters.bytesToServer === 33, soon);
    await proxy[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
    expect(await Promise.all(clients.map(({ over }) => over))).toEqual([
      'ECONNRESET',
      'ECONNRESET',
      'ECONNRESET',
    ]);
    await expectNoResourcesLeft(before);
    expect(server.seen).toEqual([]);
  });
});
