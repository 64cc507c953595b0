import { randomUUID } from 'node:crypto';
import type { LeadershipSource } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { type TcpProxy, tcpProxy } from '@leadership/testkit/faults';
import { type EtcdProcess, hasLocalEtcd, type LocalEtcd, localEtcd } from '@leadership/tools/etcd';
import { changed, keepsTermThenHandsOver, listed } from '@leadership/tools/rows';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { etcdLeadership } from '../src/index.ts';
import { openRows } from './support/open-rows.ts';

const thresholdMs = 1000;
/** A lease that outlasts an election of etcd, also on a busy machine. Milliseconds. */
const longMs = 10_000;

describe.runIf(await hasLocalEtcd())('a member whose servers fail', () => {
  let opened: AsyncDisposable[];
  beforeEach(() => {
    opened = [];
  });
  afterEach(async () => {
    await Promise.all(opened.map((one) => one[Symbol.asyncDispose]()));
  });

  function member(
    name: string,
    group: string,
    endpoints: readonly string[],
    leaseMs = thresholdMs,
  ): LeadershipSource {
    const source = etcdLeadership({
      endpoints,
      group,
      member: name,
      thresholdMs: leaseMs,
      partitions: 1,
      log: false,
    });
    opened.push(source);
    return source;
  }

  const leads = (source: LeadershipSource): boolean => source.role(0).isLeading();
  const tokenOf = (source: LeadershipSource): bigint => source.role(0).term()?.token ?? 0n;

  describe('one server', () => {
    let cluster: LocalEtcd;
    let server: EtcdProcess;
    beforeAll(async () => {
      cluster = await localEtcd();
      [server] = cluster.servers as [EtcdProcess];
    });
    afterAll(() => cluster[Symbol.asyncDispose]());

    async function proxy(): Promise<TcpProxy> {
      const through = await tcpProxy({ port: Number(server.endpoint.split(':')[1]) });
      opened.push(through);
      return through;
    }

    it('ends its term if the server is away for longer than T, says why, and leads again with a greater token', async () => {
      const source = member('a', 'away', cluster.endpoints);
      await eventually('it leads', () => leads(source));
      const token = tokenOf(source);
      await server.kill();
      await eventually('its term ends', () => !leads(source));
      await eventually('health() says why', () =>
        source
          .health()
          .troubles.some(
            ({ code, message }) => code === 'unreachable' && message.includes('leadership/away/'),
          ),
      );
      await server.start();
      await eventually('it leads again', () => leads(source));
      expect(tokenOf(source)).toBeGreaterThan(token);
      await eventually('health() is good', () => {
        const { troubles, warnings } = source.health();
        return troubles.length + warnings.length === 0;
      });
    });

    it('asks the next server while the first one hangs, and the change has its effect once', async () => {
      const way = await proxy();
      const endpoints = [`127.0.0.1:${way.port}`, ...cluster.endpoints];
      await using rows = openRows({ endpoints });
      expect(await changed(rows, 'a', null, 'one')).toEqual({ isDone: true });
      way.halfOpen();
      expect(await changed(rows, 'a', 'one', 'two', true)).toEqual({ isDone: true });
      expect(await listed(rows)).toEqual(new Map([['a', 'two']]));
    });

    it('takes the answer of the first server if the next one is slower', async () => {
      const [first, next] = [await proxy(), await proxy()];
      const endpoints = [first, next].map(({ port }) => `127.0.0.1:${port}`);
      await using rows = openRows({ endpoints, thresholdMs: 600 });
      expect(await changed(rows, 'a', null, 'one')).toEqual({ isDone: true });
      next.halfOpen();
      first.delay(300);
      expect(await changed(rows, 'a', 'one', 'two')).toEqual({ isDone: true });
    });

    it('warns that it only polls while it cannot watch, and watches again', async () => {
      const way = await proxy();
      const source = member('a', 'streams', cluster.endpoints);
      await eventually('it leads', () => leads(source));
      const other = member('b', 'streams', [`127.0.0.1:${way.port}`]);
      await other.ready();
      way.cut();
      await eventually('it warns', () =>
        other.health().warnings.some(({ message }) => message.includes('members only poll')),
      );
      way.mend();
      await eventually('it watches again', () => other.health().warnings.length === 0);
      void source.role(0).resign();
      await eventually('it leads', () => leads(other));
    });
  });

  describe('three servers', () => {
    let cluster: LocalEtcd;
    beforeAll(async () => {
      cluster = await localEtcd({ servers: 3 });
    });
    afterAll(() => cluster[Symbol.asyncDispose]());

    /** Returns the server that leads the cluster. */
    async function leaderOf(): Promise<EtcdProcess> {
      for (const server of cluster.servers) {
        const text = await (await fetch(`${server.metricsUrl}/metrics`)).text();
        if (/^etcd_server_is_leader 1$/m.test(text)) return server;
      }
      throw new Error('no server leads the cluster');
    }

    it.each(['killed', 'paused'] as const)(
      'keeps its term while the leader of the cluster is %s',
      async (fault) => {
        const group = randomUUID();
        // Each of the members begins at another server.
        const sources = ['a', 'b', 'c', 'd'].map((name) =>
          member(name, group, cluster.endpoints, longMs),
        );
        await keepsTermThenHandsOver(sources, async () => {
          const server = await leaderOf();
          if (fault === 'paused') {
            server.pause();
            return () => server.resume();
          }
          await server.kill();
          return () => server.start();
        });
        await eventually('health() is good', () => sources.every((source) => source.health().ok));
      },
    );

    it('ends its term while all servers are stopped, says why, and leads again', async () => {
      const source = member('a', randomUUID(), cluster.endpoints);
      await eventually('it leads', () => leads(source));
      const token = tokenOf(source);
      await Promise.all(cluster.servers.map((server) => server.kill()));
      await eventually('its term ends', () => !leads(source));
      await eventually('health() says why', () =>
        source.health().troubles.some(({ code }) => code === 'unreachable'),
      );
      await Promise.all(cluster.servers.map((server) => server.start()));
      await eventually('it leads again', () => leads(source));
      expect(tokenOf(source)).toBeGreaterThan(token);
      await eventually('health() is good', () => source.health().ok);
    });
  });
});
