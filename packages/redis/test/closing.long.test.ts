import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { eventually } from '@leadership/testkit/adapter';
import { Cluster, Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { redisLeadership } from '../src/index.ts';
import type { RedisOptions } from '../src/options.ts';

const host = '127.0.0.1';
/** Those of `redis` for Sentinel and a Cluster do leave one: they do not close it. */
const clients: Readonly<Record<string, (port: number) => unknown>> = {
  'ioredis, one server': (port) => new Redis({ port, lazyConnect: true }),
  'ioredis, Sentinel': (port) =>
    new Redis({ sentinels: [{ host, port }], name: 'main', lazyConnect: true }),
  'ioredis, Cluster': (port) => new Cluster([{ host, port }], { lazyConnect: true }),
  'redis, one server': (port) => createClient({ socket: { host, port } }),
};

describe('a member that closes while the server accepts connections and does not answer', () => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    // Else the end of the connection is not noticed.
    socket.resume();
  });
  beforeEach(async () => {
    server.listen(0, host);
    await once(server, 'listening');
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  it.each(Object.keys(clients))('leaves no connection behind: %s', async (name) => {
    const { port } = server.address() as AddressInfo;
    const client = clients[name]?.(port) as NonNullable<RedisOptions['client']>;
    const source = redisLeadership({ group: 'g', client, log: false });
    await eventually('it has connected', () => sockets.size > 0);
    await source.close();
    await eventually('all connections are closed', () => sockets.size === 0);
    expect(source.health().ok).toBe(false);
  });
});
