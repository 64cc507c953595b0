import { randomUUID } from 'node:crypto';
import type { Exchanged, RowChange, Rows } from '@leadership/core/adapter';
import { rowsChecks } from '@leadership/testkit';
import { eventually } from '@leadership/testkit/adapter';
import { tcpProxy } from '@leadership/testkit/faults';
import { rowsTests } from '@leadership/testkit/vitest';
import {
  hasLocalRedis,
  type LocalRedis,
  localRedis,
  localRedisCluster,
  localReplica,
} from '@leadership/tools/redis';
import {
  changed,
  exchanged,
  listed,
  newGroup,
  silenceTests,
  writerTests,
} from '@leadership/tools/rows';
import { Cluster, Redis } from 'ioredis';
import { createCluster } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byAddress, likeIoredis } from '../src/ioredis.ts';
import type { OpenLink } from '../src/link.ts';
import { likeNodeRedis } from '../src/node-redis.ts';
import type { IoredisClient, NodeRedisClient } from '../src/options.ts';
import { keysOf } from './support/editable-rows.ts';
import { openRows as openLike } from './support/open-rows.ts';
import {
  behind,
  type Connect,
  clients,
  openReplicated,
  openRows,
  openStore,
  type RedisStore,
  withIoredis,
  withNodeRedis,
} from './support/rows-store.ts';

const connectMs = 5000;

const drivers: Readonly<Record<string, Connect>> = { ioredis: withIoredis, redis: withNodeRedis };
const named = (...ids: readonly string[]) => rowsChecks.filter(({ id }) => ids.includes(id));

describe.runIf(await hasLocalRedis())('rows on Redis', () => {
  let server: LocalRedis;
  beforeAll(async () => {
    server = await localRedis();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  describe.each(Object.entries(drivers))('with the package %s', (driver, connect) => {
    rowsTests(() => openStore(connect));
    rowsTests(() => openReplicated(connect), named('promoted-replica'));

    silenceTests(
      ({ port, ...options }) => openLike(clients[driver]?.(port) as IoredisClient, options),
      () => server.port,
    );

    it('drops the connection of a request that is given up', async () => {
      await using way = await tcpProxy({ port: server.port });
      const group = randomUUID();
      await using open = openLike(clients[driver]?.(way.port) as IoredisClient, { group });
      await using other = openLike(server, { group });
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

  writerTests((options) => openLike(server, options), true);

  it('are opened again after the server was restarted', async () => {
    await using own = await localRedis();
    await using open = openLike(own);
    await changed(open, 'a', null, 'one');
    await own.kill();
    await expect(listed(open)).rejects.toMatchObject({ code: 'unreachable' });
    await own.start();
    expect(await listed(open)).toEqual(new Map([['a', 'one']]));
  });

  describe('in a Cluster', () => {
    let ports: readonly number[] = [];
    let end = async (): Promise<void> => undefined;
    beforeAll(async () => {
      const cluster = await localRedisCluster();
      ports = cluster.servers.map(({ port }) => port);
      end = async () => cluster[Symbol.asyncDispose]();
    });
    afterAll(async () => end());

    const connections: Readonly<Record<string, () => OpenLink>> = {
      ioredis: () =>
        likeIoredis(
          new Cluster(
            ports.map((port) => ({ host: '127.0.0.1', port })),
            { lazyConnect: true },
          ),
          connectMs,
        ),
      redis: () => {
        const rootNodes = ports.map((port) => ({ socket: { host: '127.0.0.1', port } }));
        return likeNodeRedis(createCluster({ rootNodes }) as unknown as NodeRedisClient, connectMs);
      },
    };
    const checks = named(
      'changed-on-condition',
      'full-batch',
      'groups-apart',
      'notifies',
      'closed',
    );

    describe.each(Object.entries(connections))('with the package %s', (_, connect) =>
      rowsTests(
        async () => ({
          name: 'a Cluster',
          notifies: true,
          openRows: (group) => openRows(connect(), group),
          [Symbol.asyncDispose]: () => Promise.resolve(),
        }),
        checks,
      ),
    );
  });

  describe('on a server of their own', () => {
    let store: RedisStore;
    let admin: Redis;
    beforeAll(async () => {
      store = await openStore(withIoredis);
      admin = new Redis({ port: store.primary.port });
    });
    afterAll(async () => {
      admin.disconnect();
      await store[Symbol.asyncDispose]();
    });

    it('answer a renewal with nothing that its sender knows', async () => {
      const { rows } = await newGroup(store);
      const first = await exchange(rows, undefined);
      const many = Array.from({ length: 100 }, (_, index) => changeOf(`row#${index}`, null, '1'));
      const answer = await exchange(rows, first.position, many);
      const renewed = await exchange(rows, answer.position, [changeOf('row#0', '1', '2')]);
      expect(renewed.rows).toEqual([['row#0', '2']]);
      expect(renewed.isWhole).toBe(false);
      await rows.close();
    });

    it('show another history to every member if their keys were restored in place', async () => {
      const { rows, group } = await newGroup(store);
      const other = await store.openRows(group);
      const first = await exchange(rows, undefined);
      const kept = await exchange(rows, first.position, [changeOf('a', null, '1')]);
      const idle = await exchange(other, undefined);
      let { position } = kept;
      await store.restoreKeys(group, async () => {
        ({ position } = await exchange(rows, position, [changeOf('a', '1', '2')]));
      });
      const lost = await exchange(rows, position, [changeOf('a', '1', '3')]);
      expect(lost).toMatchObject({ outcomes: [false], isRestarted: true, rows: [['a', '1']] });
      const same = await exchange(other, idle.position, [changeOf('a', '1', '3')]);
      expect(same).toMatchObject({ outcomes: [false], isRestarted: true, rows: [['a', '1']] });
      await rows.close();
      await other.close();
    });

    it.each([
      ['the rows, which are gone then', 0, { isGone: true }],
      ['the numbers, and shows all rows again', 1, {}],
      ['the history, and shows another one', 2, { isRestarted: true }],
    ])('go on after a person has deleted %s', async (_, deleted, expected) => {
      const { isGone = false, isRestarted }: { isGone?: boolean; isRestarted?: boolean } = expected;
      const { rows, group } = await newGroup(store);
      const first = await exchange(rows, undefined);
      const both = [changeOf('a', null, '1'), changeOf('b', null, '1')];
      const created = await exchange(rows, first.position, both);
      const removed = await exchange(rows, created.position, [changeOf('b', '1', null)]);
      await admin.del(keysOf(group)[deleted] ?? '');
      const answer = await exchange(rows, removed.position);
      expect(answer.isRestarted).toBe(isRestarted);
      expect(answer.rows).toEqual([['a', isGone ? null : '1']]);
      const next = await exchange(rows, answer.position, [changeOf('a', isGone ? null : '1', '2')]);
      expect(next).toMatchObject({ outcomes: [true], rows: [['a', '2']] });
      await rows.close();
    });

    it('show everything if more rows were removed than are remembered', async () => {
      const { rows } = await newGroup(store);
      let { position } = await exchange(rows, undefined);
      const batch = Array.from({ length: 256 }, (_, index) => `row#${index}`);
      const before = await exchange(
        rows,
        position,
        batch.map((name) => changeOf(name, null, '1')),
      );
      ({ position } = before);
      for (let round = 0; round < 5; round += 1) {
        const names = batch.map((name) => `${round === 0 ? '' : round}${name}`);
        const next = batch.map((name) => changeOf(`${round + 1}${name}`, null, '1'));
        const gone = names.map((name) => changeOf(name, '1', null));
        ({ position } = await exchange(rows, position, gone));
        const since = await exchange(rows, before.position);
        expect([since.isWhole, since.rows.length], `${round}`).toEqual(
          round < 4 ? [false, 256 * (round + 1)] : [true, 0],
        );
        ({ position } = await exchange(rows, position, next));
      }
      await rows.close();
    });

    it('notify of changes that were made and that others wait for, and say which were made', async () => {
      const { rows, group } = await newGroup(store);
      const [channel = ''] = keysOf(group);
      const messages: string[] = [];
      const subscriber = admin.duplicate();
      subscriber.on('message', (_, message) => messages.push(message));
      await subscriber.subscribe(channel);
      const { position } = await exchange(rows, undefined);
      const refused = { ...changeOf('a', 'another', '1'), isAnnounced: true };
      const made = { ...changeOf('a', null, '2'), isAnnounced: true };
      await exchange(rows, position, [refused]);
      await exchange(rows, position, [changeOf('b', null, '1'), refused]);
      await exchange(rows, position, [{ ...refused, name: 'c' }, made]);
      await eventually('a notification arrives', () => messages.length > 0);
      expect(messages).toEqual([expect.stringMatching(/\[1,"a","2"\].*\} 01$/)]);
      subscriber.disconnect();
      await rows.close();
    });

    it('are the same with either package', async () => {
      const { rows, group } = await newGroup(store);
      const other = openRows(withNodeRedis(store.primary.port), group);
      const { position } = await exchange(rows, undefined);
      await exchange(rows, position, [changeOf('a', null, '1')]);
      expect((await exchange(other, undefined)).rows).toEqual([['a', '1']]);
      await rows.close();
      await other.close();
    });

    it.each([
      ['ff00fe', false],
      ['c2', false],
      ['e1c280', false],
      ['eda080', false],
      ['f4908080', false],
      ['80', false],
      [Buffer.from('é € 🙂\u{10ffff}\0').toString('hex'), true],
    ])('show the bytes %s as a text that can be replaced (UTF-8: %s)', async (hex, isText) => {
      const { rows, group } = await newGroup(store);
      const bytes = Buffer.from(hex, 'hex');
      await admin.hset(keysOf(group)[0], 'a', bytes);
      const read = await exchange(rows, undefined);
      const text = new Map(read.rows).get('a') ?? '';
      expect(text === bytes.toString()).toBe(isText);
      const refused = await exchange(rows, read.position, [changeOf('a', null, '1')]);
      expect(refused).toMatchObject({ outcomes: [false], rows: [['a', text]] });
      const made = await exchange(rows, refused.position, [changeOf('a', text, '1')]);
      expect(made.outcomes).toEqual([true]);
      await rows.close();
    });

    it('send the script again to a server that has lost it', async () => {
      const { rows } = await newGroup(store);
      const { position } = await exchange(rows, undefined);
      await admin.script('FLUSH');
      const answer = await exchange(rows, position, [changeOf('a', null, '1')]);
      expect(answer.outcomes).toEqual([true]);
      await rows.close();
    });
  });

  it('show another history after the server has started again, which may have lost changes', async () => {
    await using server = await localRedis();
    const rows = openRows(byAddress(server, connectMs), randomUUID());
    await rows.open?.(new AbortController().signal, true);
    const first = await exchange(rows, undefined);
    const { position } = await exchange(rows, first.position, [changeOf('a', null, '1')]);
    await server.kill();
    await server.start();
    const answer = await exchange(rows, position, [changeOf('a', '1', '2')]);
    expect(answer).toMatchObject({ outcomes: [false], isRestarted: true, rows: [['a', '1']] });
    await rows.close();
  });

  it('doubt the first reading of rows that a server had at its start, until it is old enough', async () => {
    await using server = await localRedis();
    const group = randomUUID();
    const open = async (): Promise<Rows> => {
      const rows = openRows(byAddress(server, connectMs), group);
      await rows.open?.(new AbortController().signal, true);
      return rows;
    };
    const [first, second] = [await open(), await open()];
    const empty = await exchange(first, undefined);
    expect(empty.isRestarted).toBeUndefined();
    await exchange(first, empty.position, [changeOf('a', null, '1')]);
    // All rows were created in this history.
    const created = await exchange(second, undefined);
    expect(created).toMatchObject({ rows: [['a', '1']] });
    expect(created.isRestarted).toBeUndefined();
    await server.kill();
    await server.start();
    const restarted = await exchange(first, undefined);
    expect(restarted).toMatchObject({ isRestarted: true, rows: [['a', '1']] });
    const startedAt = performance.now();
    await eventually('the server is old enough', async () => {
      const isDoubted = (await exchange(second, undefined)).isRestarted ?? false;
      if (isDoubted) await new Promise((resolve) => setTimeout(resolve, 200));
      return !isDoubted;
    });
    // The length of the doubt in these tests.
    expect(performance.now() - startedAt).toBeGreaterThan(3000);
    await first.close();
    await second.close();
  });

  it('do without INFO if the user may not run it, except for observers', async () => {
    await using server = await localRedis();
    const app = { username: 'app', password: 'p' };
    await server.ask('ACL', 'SETUSER', 'app', 'on', '>p', '~*', '&*', '+@all', '-info');
    const open = byAddress({ port: server.port, ...app }, connectMs);
    const rows = openRows(open, randomUUID());
    await rows.open?.(new AbortController().signal, true);
    const first = await exchange(rows, undefined);
    const made = await exchange(rows, first.position, [changeOf('a', null, '1')]);
    expect(made.outcomes).toEqual([true]);
    // A new reader cannot know.
    expect((await exchange(rows, undefined)).isRestarted).toBe(true);
    const observes = rows.open?.(new AbortController().signal, false);
    await expect(observes).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(exchanged(rows, made.position)).rejects.toMatchObject({ code: 'unauthorized' });
    await rows.close();
  });

  it('give no answer that too few replicas have, neither of a change nor of a reading', async () => {
    await using primary = await localRedis();
    const rows = openRows(byAddress(primary, connectMs), randomUUID(), 1);
    await rows.open?.(new AbortController().signal, true);
    const refusal = {
      code: 'unreachable',
      message: expect.stringContaining('0 of 1 replicas have acknowledged the write'),
    };
    await expect(exchanged(rows, undefined)).rejects.toMatchObject(refusal);
    await expect(exchanged(rows, undefined)).rejects.toMatchObject(refusal);
    await using replica = await localReplica(primary);
    const { position } = await exchange(rows, undefined);
    const made = await exchange(rows, position, [changeOf('a', null, '1')]);
    expect(made.outcomes).toEqual([true]);
    await eventually('the replica has acknowledged all', async () => (await behind(primary)) === 0);
    // The primary still takes it for connected.
    replica.pause();
    await expect(exchanged(rows, made.position)).rejects.toMatchObject(refusal);
    const unacknowledged = exchanged(rows, made.position, [changeOf('a', '1', '2')]);
    await expect(unacknowledged).rejects.toMatchObject(refusal);
    replica.resume();
    const read = await exchange(rows, made.position);
    expect(read).toMatchObject({ isWhole: false, rows: [['a', '2']] });
    await rows.close();
  });
});

function changeOf(name: string, expected: string | null, text: string | null): RowChange {
  return { name, expected, text };
}

/** Asks again, where a replica does not count yet or the connection has ended. */
async function exchange(
  rows: Rows,
  since: unknown,
  changes: readonly RowChange[] = [],
): Promise<Exchanged> {
  for (let left = 100; ; left -= 1) {
    try {
      return await exchanged(rows, since, changes);
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
