import { randomUUID } from 'node:crypto';
import type { LeadershipSource } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { type TcpProxy, tcpProxy } from '@leadership/testkit/faults';
import { leaseRenewed } from '@leadership/testkit/internal';
import {
  hasLocalRedis,
  type LocalRedis,
  localRedis,
  localRedisCluster,
  localSentinel,
} from '@leadership/tools/redis';
import { networkTests } from '@leadership/tools/rows';
import { Cluster, Redis } from 'ioredis';
import { createCluster, createSentinel } from 'redis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { redisLeadership } from '../src/index.ts';
import type { NodeRedisClient, RedisOptions } from '../src/options.ts';

const thresholdMs = 1000;
/** A lease that outlasts a restart of the server on a starved machine. Milliseconds. */
const longMs = 10_000;

describe.runIf(await hasLocalRedis())('a member whose network fails', () => {
  let server: LocalRedis;
  beforeAll(async () => {
    server = await localRedis();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  networkTests(
    ({ port, ...options }) => redisLeadership({ ...options, connection: { port } }),
    () => server.port,
  );
});

describe.runIf(await hasLocalRedis())('a member whose server fails', () => {
  let opened: AsyncDisposable[];
  beforeEach(() => {
    opened = [];
  });
  afterEach(async () => {
    for (const one of opened.reverse()) await one[Symbol.asyncDispose]();
  });

  function member(name: string, options: Partial<RedisOptions>): LeadershipSource {
    const source = redisLeadership({
      group: 'g',
      member: name,
      thresholdMs,
      partitions: 1,
      log: false,
      ...options,
    });
    opened.push(source);
    return source;
  }

  async function server(): Promise<LocalRedis> {
    const started = await localRedis();
    opened.push(started);
    return started;
  }

  async function proxy(port: number): Promise<TcpProxy> {
    const through = await tcpProxy({ port });
    opened.push(through);
    return through;
  }

  const leads = (source: LeadershipSource): boolean => source.role(0).isLeading();
  const tokenOf = (source: LeadershipSource): bigint => source.role(0).term()?.token ?? 0n;

  it('keeps its term over a restart that is shorter than the lease', async () => {
    const redis = await server();
    const source = member('a', { connection: { port: redis.port }, thresholdMs: longMs });
    await eventually('it leads', () => leads(source));
    const token = tokenOf(source);
    const killedAt = performance.now();
    await redis.kill();
    await redis.start();
    const awayMs = Math.round(performance.now() - killedAt);
    const kept = await redis.ask('HGET', 'leadership:{g}', 'partition#0');
    expect(kept, 'the server has kept the claim').toContain(`"token":"${token}"`);
    await leaseRenewed(source.role(0));
    await eventually('health() names the doubt', () =>
      source.health().troubles.some(({ code }) => code === 'assumption-broken'),
    );
    expect([leads(source), tokenOf(source)], `it was away for ${awayMs} ms`).toEqual([true, token]);
  });

  it('ends its term if the server is killed for longer, and leads again with a greater token', async () => {
    const redis = await server();
    const source = member('a', { connection: { port: redis.port } });
    await eventually('it leads', () => leads(source));
    const token = tokenOf(source);
    await redis.kill();
    await eventually('its term ends', () => !leads(source));
    await eventually('health() says why', () =>
      source.health().troubles.some(({ code }) => code === 'unreachable'),
    );
    await redis.start();
    await eventually('it leads again', () => leads(source));
    expect(tokenOf(source)).toBeGreaterThan(token);
    await eventually('health() is good', () => source.health().troubles.length === 0);
  });

  it('ends its term while the server hangs, and closes within its limits', async () => {
    const redis = await server();
    const source = member('a', { connection: { port: redis.port } });
    await eventually('it leads', () => leads(source));
    redis.pause();
    await eventually('its term ends', () => !leads(source));
    const began = performance.now();
    await source.close();
    expect(performance.now() - began).toBeLessThan(5 * thresholdMs);
  });

  it('keeps its term while the client of the application is busy', async () => {
    const redis = await server();
    const client = new Redis({ port: redis.port });
    const source = member('a', { client });
    await eventually('it leads', () => leads(source));
    const token = tokenOf(source);
    // The connection of the application blocks for three leases.
    const busy = client.blpop('nothing', (3 * thresholdMs) / 1000);
    await busy;
    expect([leads(source), tokenOf(source)]).toEqual([true, token]);
    client.disconnect();
  });

  const sentinelClients = {
    ioredis: (port: number, name: string) =>
      new Redis({ sentinels: [{ host: '127.0.0.1', port }], name, lazyConnect: true }),
    redis: (port: number, name: string) =>
      createSentinel({
        name,
        sentinelRootNodes: [{ host: '127.0.0.1', port }],
      }) as unknown as NodeRedisClient,
  };

  it.each(['ioredis', 'redis'] as const)(
    'follows a fail-over by Sentinel with the package %s',
    async (driver) => {
      const group = await localSentinel();
      opened.push(group);
      const { sentinel, master, primary } = group;
      const members = ['a', 'b'].map((name) =>
        member(name, { client: sentinelClients[driver](sentinel.port, master) }),
      );
      const token = await led(members);
      await primary.kill();
      await succeeded(members, token, `Sentinel, ${driver}`);
    },
  );

  it('ends the belief of a leader whose claim a fail-over has lost, with greater tokens', async () => {
    const primary = await server();
    const replication = await proxy(primary.port);
    const replica = await localRedis({ replicaof: `127.0.0.1 ${replication.port}` });
    opened.push(replica);
    const target = { port: primary.port };
    const address = await tcpProxy(target);
    opened.push(address);
    const members = ['a', 'b'].map((name) => member(name, { connection: { port: address.port } }));
    await led(members);
    const first = members.find(leads);
    await eventually('the replica has the first claim', async () =>
      (await replica.ask('HGET', 'leadership:{g}', 'partition#0')).includes('"hold"'),
    );
    // The replica receives no write any more: the next claim is lost with the primary.
    replication.halfOpen();
    void first?.role(0).resign();
    const second = await eventually('another member leads', () =>
      members.find((one) => one !== first && leads(one)),
    );
    const lost = tokenOf(second);
    await primary.kill();
    await replica.ask('REPLICAOF', 'NO', 'ONE');
    const kept = await replica.ask('HGET', 'leadership:{g}', 'partition#0');
    expect(kept).not.toContain(`"token":"${lost}"`);
    target.port = replica.port;
    address.reset();
    await succeeded(members, lost, 'A lost claim');
  });

  it('ends the term of a leader at an old primary whose replica was promoted, with minReplicas', async () => {
    const old = await server();
    const replication = await proxy(old.port);
    const next = await localRedis({ replicaof: `127.0.0.1 ${replication.port}` });
    opened.push(next);
    const first = member('a', { connection: { port: old.port }, minReplicas: 1 });
    await eventually('it leads', () => leads(first));
    const token = tokenOf(first);
    replication.halfOpen();
    await next.ask('REPLICAOF', 'NO', 'ONE');
    const second = member('b', { connection: { port: next.port } });
    const led: boolean[] = [];
    await eventually('a successor leads', () => {
      led.push(leads(first) && leads(second));
      return leads(second);
    });
    expect(led).not.toContain(true);
    expect(tokenOf(second)).toBeGreaterThan(token);
    // The old primary still answers.
    await eventually('health() says why', () =>
      first.health().troubles.some(({ message }) => message.includes('0 of 1 replicas')),
    );
  });

  it('has two leaders while an old primary stays up, until it is demoted', async () => {
    const [old, next] = [await server(), await server()];
    const options = { group: randomUUID() };
    const first = member('a', { ...options, connection: { port: old.port } });
    await eventually('it leads', () => leads(first));
    const token = tokenOf(first);
    await next.ask('REPLICAOF', old.host, String(old.port));
    await eventually('the replica has all rows', async () =>
      (await next.ask('INFO', 'replication')).includes('master_link_status:up'),
    );
    await next.ask('REPLICAOF', 'NO', 'ONE');
    const second = member('b', { ...options, connection: { port: next.port } });
    await eventually('a successor leads', () => leads(second));
    const beganAt = performance.now();
    expect(tokenOf(second)).toBeGreaterThan(token);
    expect(leads(first)).toBe(true);
    await old.ask('REPLICAOF', next.host, String(next.port));
    const demotedAt = performance.now();
    await eventually('the first leader stops', () => !leads(first));
    const [allMs, afterMs] = [beganAt, demotedAt].map((at) => Math.round(performance.now() - at));
    process.stderr.write(
      `An old primary that stays up: two believers for ${allMs} ms, ${afterMs} ms of it after it was demoted (T = ${thresholdMs} ms)\n`,
    );
    expect(leads(second)).toBe(true);
  });

  const clusterClients = {
    ioredis: (ports: readonly number[]) =>
      new Cluster(
        ports.map((port) => ({ port, host: '127.0.0.1' })),
        { lazyConnect: true },
      ),
    redis: (ports: readonly number[]) =>
      createCluster({
        rootNodes: ports.map((port) => ({ socket: { port, host: '127.0.0.1' } })),
      }) as unknown as NodeRedisClient,
  };

  it.each(['ioredis', 'redis'] as const)(
    'follows a fail-over in a Cluster with the package %s, and with minReplicas',
    async (driver) => {
      const cluster = await localRedisCluster();
      opened.push(cluster);
      const ports = cluster.servers.map(({ port }) => port);
      const group = randomUUID();
      const members = ['a', 'b'].map((name) =>
        member(name, { client: clusterClients[driver](ports), group }),
      );
      const strict = member('c', {
        client: clusterClients[driver](ports),
        group: `${group}2`,
        minReplicas: 1,
      });
      const token = await led(members);
      await eventually('a member with minReplicas leads', () => leads(strict));
      await (await cluster.primaryOf(`leadership:{${group}}`)).kill();
      await succeeded(members, token, `Cluster, ${driver}`);
      await eventually('all are connected', () =>
        members.every((one) => one.health().troubles.length === 0),
      );
    },
  );

  /** Resolves with the token of the first leader. */
  async function led(members: readonly LeadershipSource[]): Promise<bigint> {
    await Promise.all(members.map((one) => one.ready()));
    return tokenOf(await eventually('a member leads', () => members.find(leads)));
  }

  /**
   * Resolves once a member leads with a greater token. Prints for how long two members believed to
   * lead, and for how long none did.
   */
  async function succeeded(
    members: readonly LeadershipSource[],
    token: bigint,
    title: string,
  ): Promise<void> {
    let [bothMs, noneMs, last] = [0, 0, performance.now()];
    let before = members.filter(leads).length;
    await eventually('a member leads with a greater token', () => {
      const now = performance.now();
      const believers = members.filter(leads).length;
      if (before > 1 && believers > 1) bothMs += now - last;
      if (before === 0 && believers === 0) noneMs += now - last;
      [last, before] = [now, believers];
      return members.some((one) => leads(one) && tokenOf(one) > token);
    });
    const text = `two believers for ${Math.round(bothMs)} ms, none for ${Math.round(noneMs)} ms`;
    process.stderr.write(`${title}: ${text} (T = ${thresholdMs} ms)\n`);
  }
});
