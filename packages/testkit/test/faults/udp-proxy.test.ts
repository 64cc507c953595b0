import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { type UdpProxy, type UdpProxyOptions, udpProxy } from '../../src/faults/udp-proxy.ts';

const sockets: Socket[] = [];
const proxies: UdpProxy[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.close();
  for (const proxy of proxies.splice(0)) await proxy[Symbol.asyncDispose]();
});

async function socket(): Promise<{ readonly socket: Socket; readonly received: string[] }> {
  const opened = createSocket('udp4').bind(0, '127.0.0.1');
  await once(opened, 'listening');
  sockets.push(opened);
  const received: string[] = [];
  opened.on('message', (bytes) => received.push(String(bytes)));
  return { socket: opened, received };
}

/** A client, a proxy, and a server that echoes in capitals. */
async function chain(options: Omit<UdpProxyOptions, 'port'> = {}) {
  const server = await socket();
  server.socket.on('message', (bytes, from) =>
    server.socket.send(String(bytes).toUpperCase(), from.port, from.address),
  );
  const client = await socket();
  const proxy = await udpProxy({ port: server.socket.address().port, ...options });
  proxies.push(proxy);
  const send = (text: string): void => client.socket.send(text, proxy.port, '127.0.0.1');
  return { server, client, proxy, send };
}

test('datagrams pass to the server, and its replies to the client', async () => {
  const { server, client, proxy, send } = await chain();
  send('a');
  await expect.poll(() => client.received).toEqual(['A']);
  expect(server.received).toEqual(['a']);
  expect(proxy.counters).toEqual({ forwarded: 2, dropped: 0, repeated: 0, held: 0 });
});

test('a cut discards all datagrams or those of one direction, and mending ends it', async () => {
  const { server, client, proxy, send } = await chain();
  const cut = proxy.cut();
  send('a');
  await expect.poll(() => proxy.counters.dropped).toBe(1);
  cut[Symbol.dispose]();
  proxy.cutOneWay('to-client');
  send('b');
  await expect.poll(() => proxy.counters.dropped).toBe(2);
  proxy.mend();
  send('c');
  await expect.poll(() => client.received).toEqual(['C']);
  expect(server.received).toEqual(['b', 'c']);
});

test('held datagrams arrive once the proxy is mended', async () => {
  const { server, proxy, send } = await chain();
  proxy.hold();
  send('a');
  await expect.poll(() => proxy.counters.held).toBe(1);
  proxy.cutOneWay('to-client');
  send('b');
  await expect.poll(() => proxy.counters.held).toBe(2);
  expect(server.received).toEqual([]);
  proxy.mend();
  await expect.poll(() => server.received).toEqual(['a', 'b']);
});

test('a fault that ends leaves the others in effect', async () => {
  const { server, client, proxy, send } = await chain();
  const toServer = proxy.hold('to-server');
  const toClient = proxy.hold('to-client');
  send('a');
  await expect.poll(() => proxy.counters.held).toBe(1);
  toServer[Symbol.dispose]();
  await expect.poll(() => server.received).toEqual(['a']);
  await expect.poll(() => proxy.counters.held).toBe(2);
  expect(client.received).toEqual([]);
  toClient[Symbol.dispose]();
  await expect.poll(() => client.received).toEqual(['A']);
});

test('a network that always loses datagrams loses them after it was mended as well', async () => {
  const { server, proxy, send } = await chain({ random: () => 0.5, noise: { lose: 0.6 } });
  proxy.cut();
  proxy.mend();
  send('lost');
  await expect.poll(() => proxy.counters.dropped).toBe(1);
  expect(server.received).toEqual([]);
});

test('datagrams are lost, repeated and overtaken at random', async () => {
  let drawn = 0;
  const { server, proxy, send } = await chain({ random: () => drawn });
  const noise = proxy.disturb({ lose: 0.5, repeat: 0.6, delayMs: [0, 400] });
  send('lost');
  await expect.poll(() => proxy.counters.dropped).toBe(1);
  drawn = 0.55;
  send('late and twice');
  await expect.poll(() => proxy.counters.repeated).toBe(1);
  noise[Symbol.dispose]();
  send('quick');
  await expect.poll(() => server.received).toEqual(['quick', 'late and twice', 'late and twice']);
});
