// Ticks in the stores of groups on real servers.
import { randomUUID } from 'node:crypto';
import { type LeadershipSource, openLeadership } from '@leadership/core';
import { rowTicks } from '@leadership/scheduler';
import { hasLocalEtcd, startEtcd } from '@leadership/tools/etcd';
import { hasKafka, startKafka } from '@leadership/tools/kafka';
import { hasKubernetes, localKubernetes } from '@leadership/tools/kubernetes';
import { hasMysql, startMysql } from '@leadership/tools/mysql';
import { hasNats, localNats } from '@leadership/tools/nats';
import { hasPostgres, startPostgres } from '@leadership/tools/postgres';
import { hasLocalRedis, startRedis } from '@leadership/tools/redis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** A server, and how a member reaches it. */
interface Store extends AsyncDisposable {
  readonly url: string;
  readonly options?: object;
}

/** Starts a server of a database. */
async function databaseStore(
  scheme: string,
  start: typeof startPostgres | typeof startMysql,
): Promise<Store> {
  const server = await start();
  const { host, port, user, password, database } = server;
  const options = { connection: { user, password } };
  const end = () => server[Symbol.asyncDispose]();
  return { url: `${scheme}://${host}:${port}/${database}`, options, [Symbol.asyncDispose]: end };
}

const stores: readonly [name: string, has: boolean, start: () => Promise<Store>][] = [
  ['Postgres', await hasPostgres(), () => databaseStore('postgres', startPostgres)],
  ['MySQL', await hasMysql(), () => databaseStore('mysql', startMysql)],
  [
    'Kubernetes',
    await hasKubernetes(),
    async () => {
      const server = await localKubernetes();
      const options = { server: server.url, tls: { ca: server.ca }, token: server.token };
      const end = () => server[Symbol.asyncDispose]();
      return { url: 'kubernetes:default', options, [Symbol.asyncDispose]: end };
    },
  ],
  [
    'NATS',
    await hasNats(),
    async () => {
      const cluster = await localNats();
      const end = () => cluster[Symbol.asyncDispose]();
      return { url: `nats://${cluster.addresses.join()}`, [Symbol.asyncDispose]: end };
    },
  ],
  [
    'Redis',
    await hasLocalRedis(),
    async () => {
      const server = await startRedis();
      const end = () => server[Symbol.asyncDispose]();
      return { url: `redis://${server.host}:${server.port}`, [Symbol.asyncDispose]: end };
    },
  ],
  [
    'etcd',
    await hasLocalEtcd(),
    async () => {
      const cluster = await startEtcd();
      const end = () => cluster[Symbol.asyncDispose]();
      return { url: `etcd://${cluster.endpoints.join()}`, [Symbol.asyncDispose]: end };
    },
  ],
  [
    'Kafka',
    await hasKafka({ brokers: 1 }),
    async () => {
      const cluster = await startKafka({ brokers: 1, proxied: false });
      const url = `kafka://${cluster.bootstrap.join()}?topic=ticks&topicCheck=safety`;
      return { url, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() };
    },
  ],
];

describe.each(stores.filter(([, has]) => has))('ticks of a group on %s', (_name, _has, start) => {
  let store: Store;
  const sources: LeadershipSource[] = [];
  beforeAll(async () => {
    store = await start();
  });
  afterAll(async () => {
    await Promise.all(sources.map((source) => source.close()));
    await store[Symbol.asyncDispose]();
  });

  test('each time is claimed once, by a token that is not lower than the latest', async () => {
    const group = `ticks-${randomUUID()}`;
    for (const member of ['a', 'b', 'c', 'd']) {
      const options = { group, member, thresholdMs: 3000, ...store.options };
      sources.push(await openLeadership(store.url, options));
    }
    await Promise.all(sources.map((source) => source.ready()));
    const ticks = sources.map(rowTicks);
    const claims = async (at: number, token: bigint): Promise<readonly boolean[]> =>
      (await Promise.all(ticks.map((one) => one.claim('a', at, token)))).filter(Boolean);
    expect(await ticks[0]?.latest('a')).toBeUndefined();
    for (const [at, token] of [
      [1000, 7n],
      [2000, 7n],
      [3000, 8n],
    ] as const)
      expect(await claims(at, token)).toEqual([true]);
    expect(await claims(4000, 7n)).toEqual([]);
    expect(await claims(3000, 9n)).toEqual([]);
    expect(await Promise.all(ticks.map((one) => one.latest('a')))).toEqual([
      3000, 3000, 3000, 3000,
    ]);
    expect(await ticks[3]?.token?.('a')).toBe(8n);
    expect(sources.map((source) => source.health().ignored)).toEqual([{}, {}, {}, {}]);
  });
});
