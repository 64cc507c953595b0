import { cp, rm } from 'node:fs/promises';
import type { Rows } from '@leadership/core/adapter';
import type { RowsStore } from '@leadership/testkit';
import { eventually, recordingHost } from '@leadership/testkit/adapter';
import { type TcpProxy, tcpProxy } from '@leadership/testkit/faults';
import { type LocalRedis, localRedis } from '@leadership/tools/redis';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { likeIoredis } from '../../src/ioredis.ts';
import type { OpenLink } from '../../src/link.ts';
import { likeNodeRedis } from '../../src/node-redis.ts';
import type { IoredisClient, NodeRedisClient } from '../../src/options.ts';
import { redisRows } from '../../src/rows.ts';
import { editableRows, restoreKeys } from './editable-rows.ts';

/** The store under test, and what only tests of Redis need. */
export interface RedisStore extends RowsStore {
  readonly primary: LocalRedis;
  /** Restores the keys of a group in the running server, as they were before the call of the function. */
  restoreKeys(group: string, during: () => Promise<void>): Promise<void>;
}

/** How to connect to a port, with one of the packages. */
export type Connect = (port: number) => OpenLink;

const thresholdMs = 3000;
const connectMs = 5000;
const host = '127.0.0.1';

/** Clients with settings that change commands and replies: members do without these. */
export const clients: Readonly<Record<string, (port: number) => IoredisClient | NodeRedisClient>> =
  {
    ioredis: ioredisClient,
    redis: nodeRedisClient,
  };

function ioredisClient(port: number): IoredisClient {
  return new Redis({ port, keyPrefix: 'app:', stringNumbers: true, lazyConnect: true });
}

function nodeRedisClient(port: number): NodeRedisClient {
  return createClient({
    socket: { port, host },
    commandOptions: { typeMapping: { 36: Buffer } },
    commandsQueueMaxLength: 1,
  }) as unknown as NodeRedisClient;
}

export const withIoredis: Connect = (port) => likeIoredis(ioredisClient(port), connectMs);
export const withNodeRedis: Connect = (port) => likeNodeRedis(nodeRedisClient(port), connectMs);

/** Opens rows as a member does. */
export function openRows(open: OpenLink, group: string, minReplicas = 0): Rows {
  const place = { group, prefix: 'leadership:', thresholdMs, doubtMs: thresholdMs };
  const options = { ...place, minReplicas, notifications: true };
  return redisRows(open, options, recordingHost('m'));
}

/** A server that members reach through proxies. */
export async function openStore(connect: Connect): Promise<RedisStore> {
  const primary = await localRedis();
  const ways = new Map<Rows, TcpProxy>();
  const open = async (group: string): Promise<Rows> => {
    const way = await tcpProxy(primary);
    const rows = openRows(connect(way.port), group);
    ways.set(rows, way);
    return rows;
  };
  const administered = async (use: (admin: Redis) => Promise<void>): Promise<void> => {
    const admin = new Redis({ port: primary.port });
    await use(admin).finally(() => admin.disconnect());
  };
  return {
    name: 'Redis',
    primary,
    notifies: true,
    holdsNul: true,
    cannot: {
      'open-transactions': 'a script is one step',
      'locked-rows': 'a row has no lock',
      'lagging-reads': 'readings are of the primary',
      'promoted-replica': 'the server has no replica',
    },
    openRows: open,
    elsewhere: () => open,
    put: (group, name, text) =>
      administered(async (admin) => {
        await editableRows(admin).write(group, new Map([[name, text]]));
      }),
    loseReplies(rows) {
      const way = ways.get(rows);
      if (way === undefined) throw new Error('unknown rows');
      return way.cutOneWay('to-client');
    },
    async restore(during) {
      const { directory } = primary;
      const backup = `${directory}-backup`;
      await cp(directory, backup, { recursive: true });
      await during();
      await primary.kill();
      await rm(directory, { recursive: true });
      await cp(backup, directory, { recursive: true });
      await rm(backup, { recursive: true });
      await primary.start();
    },
    restoreKeys: (group, during) => administered((admin) => restoreKeys(admin, group, during)),
    async [Symbol.asyncDispose]() {
      for (const way of ways.values()) await way[Symbol.asyncDispose]();
      await primary[Symbol.asyncDispose]();
    },
  };
}

/**
 * A primary with a replica, which can take its place. The replica is there from the start: the server
 * takes another replication id when the first one connects.
 */
export async function openReplicated(connect: Connect): Promise<RowsStore> {
  const primary = await localRedis();
  const replication = await tcpProxy(primary);
  const replica = await localRedis({ replicaof: `${host} ${replication.port}` });
  const target = { port: primary.port };
  const ways: TcpProxy[] = [];
  return {
    name: 'Redis with a replica',
    async openRows(group) {
      const way = await tcpProxy(target);
      ways.push(way);
      return openRows(connect(way.port), group);
    },
    async promote(during) {
      await eventually('the replica has every change', async () => (await behind(primary)) === 0);
      replication.halfOpen();
      await during();
      await primary.kill();
      await replica.ask('REPLICAOF', 'NO', 'ONE');
      target.port = replica.port;
      for (const way of ways) way.reset();
    },
    async [Symbol.asyncDispose]() {
      for (const way of [...ways, replication]) await way[Symbol.asyncDispose]();
      await primary[Symbol.asyncDispose]();
      await replica[Symbol.asyncDispose]();
    },
  };
}

/** Resolves with how much a replica lacks of what the primary has written. Bytes. */
export async function behind(primary: LocalRedis): Promise<number> {
  const info = await primary.ask('INFO', 'replication');
  const [, has] = /slave0:.*state=online,offset=(\d+)/.exec(info) ?? [];
  const [, written] = /master_repl_offset:(\d+)/.exec(info) ?? [];
  return Number(written) - Number(has);
}
