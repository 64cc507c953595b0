import { randomUUID } from 'node:crypto';
import { eventually } from '@leadership/testkit/adapter';
import { tcpProxy } from '@leadership/testkit/faults';
import {
  hasRedis,
  type LocalRedis,
  localRedis,
  type RedisServer,
  startRedis,
} from '@leadership/tools/redis';
import { changed, listed, rowsTests, silenceTests, writerTests } from '@leadership/tools/rows';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IoredisClient, NodeRedisClient } from '../src/options.ts';
import { openRows } from './support/open-rows.ts';

describe.runIf(await hasRedis())('rows on Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** Clients with settings that change commands and replies: members do without these. */
  const clients: Record<'ioredis' | 'redis', (port?: number) => IoredisClient | NodeRedisClient> = {
    ioredis: (port = server.port) =>
      new Redis({ port, keyPrefix: 'app:', stringNumbers: true, lazyConnect: true }),
    redis: (port = server.port) =>
      createClient({
        socket: { port, host: '127.0.0.1' },
        commandOptions: { typeMapping: { 36: Buffer } },
        commandsQueueMaxLength: 1,
      }) as unknown as NodeRedisClient,
  };

  describe.each(['ioredis', 'redis'] as const)('with the package %s', (driver) => {
    rowsTests((options) => openRows(clients[driver](), options));

    silenceTests(
      ({ port, ...options }) => openRows(clients[driver](port), options),
      () => server.port,
    );

    it('drops the connection of a request that is given up', async () => {
      await using way = await tcpProxy({ port: server.port });
      const client =
        driver === 'ioredis'
          ? new Redis({ port: way.port, lazyConnect: true })
          : (createClient({
              socket: { port: way.port, host: '127.0.0.1' },
            }) as unknown as NodeRedisClient);
      const group = randomUUID();
      await using open = openRows(client, { group });
      await using other = openRows(clients[driver](), { group });
      await changed(open, 'a', null, 'one');
      way.delay(300);
      const limit = AbortSignal.timeout(50);
      await expect(changed(open, 'a', 'one', 'two', false, limit)).rejects.toThrow();
      await eventually('it is closed', () => way.connections === 0);
      way.mend();
      expect(await changed(open, 'b', null, 'one')).toEqual({ isDone: true });
      expect((await listed(other)).get('b')).toBe('one');
    });
  });

  writerTests((options) => openRows(server, options), true);

  it.each([
    ['ff00fe', false],
    ['c2', false],
    ['e1c280', false],
    ['eda080', false],
    ['f4908080', false],
    ['80', false],
    [Buffer.from('é € 🙂\u{10ffff}\0').toString('hex'), true],
  ])('shows the bytes %s as a text that can be replaced (UTF-8: %s)', async (hex, isText) => {
    const group = randomUUID();
    await using open = openRows(clients.redis(), { group });
    const admin = new Redis({ host: server.host, port: server.port });
    const bytes = Buffer.from(hex, 'hex');
    await admin.hset(`leadership:{${group}}`, 'a', bytes);
    admin.disconnect();
    const text = (await listed(open)).get('a') ?? '';
    expect(text === bytes.toString()).toBe(isText);
    expect(await changed(open, 'a', null, 'one')).toEqual({ isDone: false, found: text });
    expect(await changed(open, 'a', text, 'one')).toEqual({ isDone: true });
  });

  it('uses the same rows with either package', async () => {
    const group = randomUUID();
    await using one = openRows(clients.ioredis(), { group });
    await using other = openRows(clients.redis(), { group });
    await changed(one, 'a', null, 'one');
    expect(await listed(other)).toEqual(new Map([['a', 'one']]));
  });

  it('sends the script again to a server that has lost it', async () => {
    const own: LocalRedis = await localRedis();
    await using open = openRows(own);
    await changed(open, 'a', null, 'one');
    await own.ask('SCRIPT', 'FLUSH');
    expect(await changed(open, 'a', 'one', 'two')).toEqual({ isDone: true });
    await own[Symbol.asyncDispose]();
  });

  it('is opened again after the server was restarted', async () => {
    const own: LocalRedis = await localRedis();
    await using open = openRows(own);
    await changed(open, 'a', null, 'one');
    await own.kill();
    await expect(listed(open)).rejects.toMatchObject({ code: 'unreachable' });
    await own.start();
    expect(await listed(open)).toEqual(new Map([['a', 'one']]));
    await own[Symbol.asyncDispose]();
  });
});
