import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { RowOutcome } from '@leadership/core/adapter';
import { eventually } from '@leadership/testkit/adapter';
import { tcpProxy } from '@leadership/testkit/faults';
import {
  hasRedis,
  type LocalRedis,
  localRedis,
  type RedisServer,
  startRedis,
} from '@leadership/tools/redis';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IoredisClient, NodeRedisClient } from '../src/options.ts';
import { changed, listed, type OpenRows, openRows, prepared } from './support/open-rows.ts';

describe.runIf(await hasRedis())('rows on Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** Clients with settings that change commands and replies: members do without these. */
  const clients: Record<'ioredis' | 'redis', () => IoredisClient | NodeRedisClient> = {
    ioredis: () => new Redis({ port: server.port, keyPrefix: 'app:', lazyConnect: true }),
    redis: () =>
      createClient({
        socket: { port: server.port, host: '127.0.0.1' },
        commandOptions: { typeMapping: { 36: Buffer } },
      }) as unknown as NodeRedisClient,
  };

  describe.each(['ioredis', 'redis'] as const)('with the package %s', (driver) => {
    it('creates, replaces and removes a row, and returns what it found instead', async () => {
      await using open = openRows(clients[driver]());
      await prepared(open);
      expect(await listed(open)).toEqual(new Map());
      expect(await changed(open, 'a', null, 'one')).toEqual({ isDone: true });
      expect(await changed(open, 'a', null, 'two')).toEqual({ isDone: false, found: 'one' });
      expect(await changed(open, 'a', 'other', 'two')).toEqual({ isDone: false, found: 'one' });
      expect(await changed(open, 'a', 'one', 'zwei ✓ \0')).toEqual({ isDone: true });
      expect(await changed(open, 'a', 'one', null)).toEqual({ isDone: false, found: 'zwei ✓ \0' });
      expect(await listed(open)).toEqual(new Map([['a', 'zwei ✓ \0']]));
      expect(await changed(open, 'a', 'zwei ✓ \0', null)).toEqual({ isDone: true });
      expect(await changed(open, 'a', 'two', 'three')).toEqual({ isDone: false, found: null });
      expect(await changed(open, 'a', null, '')).toEqual({ isDone: true });
      expect(await changed(open, 'a', '', 'four')).toEqual({ isDone: true });
    });

    it('notifies other members of an awaited change, with the new row, and not of others', async () => {
      const group = randomUUID();
      await using writer = openRows(clients[driver](), { group, member: 'w' });
      await using reader = openRows(clients[driver](), { group, member: 'r' });
      const stop = new AbortController();
      const woken: unknown[] = [];
      let own = 0;
      await reader.rows.listen?.((row) => woken.push(row), stop.signal);
      await writer.rows.listen?.(() => (own += 1), stop.signal);
      const [before, ownBefore] = [woken.length, own];
      await changed(writer, 'a', null, 'one');
      await changed(writer, 'a', 'lost', 'two', true);
      await changed(writer, 'a', 'one', 'two', true);
      await eventually('the reader is notified', () => woken.length > before);
      await pause(100);
      expect(woken.slice(before)).toEqual([{ name: 'a', text: 'two' }]);
      expect(own).toBe(ownBefore);
      expect([...reader.host.warnings, ...writer.host.warnings]).toEqual([]);
      stop.abort();
    });

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

  it('keeps the rows of groups apart', async () => {
    await using one = openRows(server);
    await using other = openRows(server);
    await changed(one, 'a', null, 'one');
    expect(await listed(other)).toEqual(new Map());
    expect(await changed(other, 'a', null, 'other')).toEqual({ isDone: true });
    expect(await listed(one)).toEqual(new Map([['a', 'one']]));
  });

  it('uses the same rows with either package', async () => {
    const group = randomUUID();
    await using one = openRows(clients.ioredis(), { group });
    await using other = openRows(clients.redis(), { group });
    await changed(one, 'a', null, 'one');
    expect(await listed(other)).toEqual(new Map([['a', 'one']]));
  });

  it('lets exactly one of 50 writers replace each text, and always returns the winner', async () => {
    const group = randomUUID();
    const writers = Array.from({ length: 50 }, () => openRows(server, { group }));
    const [first] = writers as [OpenRows, ...OpenRows[]];
    await changed(first, 'r', null, '0');
    let expected = '0';
    for (let round = 1; round <= 40; round += 1) {
      const before = expected;
      const outcomes = await Promise.all(
        writers.map((writer, index) => changed(writer, 'r', before, `${round}/${index}`)),
      );
      const winners = done(outcomes);
      expect(winners).toHaveLength(1);
      expected = `${round}/${winners[0]}`;
      for (const { isDone, found } of outcomes) if (!isDone) expect(found).toBe(expected);
    }
    const removals = await Promise.all(writers.map((one) => changed(one, 'r', expected, null)));
    expect(done(removals)).toHaveLength(1);
    await Promise.all(writers.map((writer) => writer[Symbol.asyncDispose]()));
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

function done(outcomes: readonly RowOutcome[]): readonly number[] {
  return outcomes.flatMap(({ isDone }, index) => (isDone ? [index] : []));
}
