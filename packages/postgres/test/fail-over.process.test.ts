import { randomUUID } from 'node:crypto';
import type { LeadershipSource } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { type TcpProxy, tcpProxy } from '@leadership/testkit/faults';
import { leaseRenewed } from '@leadership/testkit/internal';
import { hasLocalPostgres, type LocalPostgres } from '@leadership/tools/postgres';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { postgresLeadership } from '../src/index.ts';
import { administered, ownServer, type TestServer } from './support/server.ts';

const thresholdMs = 1000;
/** A lease that outlasts a restart of the server. Milliseconds. */
const longMs = 10_000;

describe.runIf(await hasLocalPostgres())('a member whose server fails', () => {
  let test: TestServer<LocalPostgres>;
  let opened: AsyncDisposable[];
  beforeEach(async () => {
    test = await ownServer();
    opened = [];
  });
  afterEach(async () => {
    await Promise.all(opened.map((one) => one[Symbol.asyncDispose]()));
    await test[Symbol.asyncDispose]();
  });

  function member(
    name: string,
    group: string,
    port = test.server.port,
    leaseMs = thresholdMs,
  ): LeadershipSource {
    const connection = { ...test.config, port };
    const source = postgresLeadership({
      connection,
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

  async function proxy(): Promise<TcpProxy> {
    const through = await tcpProxy({ port: test.server.port });
    opened.push(through);
    return through;
  }

  it('keeps its term over a restart that is shorter than the lease', async () => {
    // A starved machine takes seconds to restart the server.
    const source = member('a', 'restart', test.server.port, longMs);
    await eventually('it leads', () => leads(source));
    const token = tokenOf(source);
    await test.server.stop();
    await test.server.start();
    await leaseRenewed(source.role(0));
    expect([leads(source), tokenOf(source)]).toEqual([true, token]);
  });

  it('ends its term if the server is killed for longer, and leads again with a greater token', async () => {
    const source = member('a', 'killed');
    await eventually('it leads', () => leads(source));
    const token = tokenOf(source);
    await test.server.kill();
    await eventually('its term ends', () => !leads(source));
    await eventually('health() says why', () =>
      source.health().troubles.some(({ code }) => code === 'unreachable'),
    );
    await test.server.start();
    await eventually('it leads again', () => leads(source));
    expect(tokenOf(source)).toBeGreaterThan(token);
    await eventually('health() is good', () => source.health().troubles.length === 0);
  });

  it('keeps its term while every connection of the pool of the application is in use', async () => {
    const pool = new pg.Pool({ ...test.config, max: 1 });
    const source = postgresLeadership({
      pool,
      group: 'busy',
      thresholdMs,
      partitions: 1,
      log: false,
    });
    opened.push(source);
    await eventually('it leads', () => leads(source));
    const token = tokenOf(source);
    await pool.query('select pg_sleep($1)', [(2 * thresholdMs) / 1000]);
    expect([leads(source), tokenOf(source)]).toEqual([true, token]);
    await pool.end();
  });

  it('keeps its term on a slow network', async () => {
    const way = await proxy();
    // A request that a starved machine delays for T/3 costs a new connection, which is slower still.
    const leaseMs = 3 * thresholdMs;
    const source = member('a', 'slow', way.port, leaseMs);
    await eventually('it leads', () => leads(source));
    const token = tokenOf(source);
    way.delay(leaseMs / 20);
    for (let renewals = 0; renewals < 3; renewals += 1) await leaseRenewed(source.role(0));
    expect([leads(source), tokenOf(source)]).toEqual([true, token]);
  });

  it('leads although opening a connection takes longer than a request may', async () => {
    const way = await proxy();
    const source = member('a', 'far', way.port);
    await eventually('it leads', () => leads(source));
    const token = tokenOf(source);
    // A request takes 120 ms of 333, and a new connection with its login more than 600.
    way.reset();
    way.delay(60);
    await eventually('it is connected again', () => source.health().troubles.length === 0);
    await eventually('it leads', () => leads(source));
    expect(tokenOf(source)).toBeGreaterThanOrEqual(token);
  });

  it('follows a fail-over to a replica that has every commit', async () => {
    const { replica, address, sources } = await replicated();
    const leader = await eventually('a member leads', () => sources.find(leads));
    const token = tokenOf(leader);
    await caughtUp(replica);
    await test.server.kill();
    await promote(replica);
    address.leadTo(replica.server.port);
    const led = await eventually('a member leads on the new primary', () => {
      expect(sources.filter(leads).length).toBeLessThan(2);
      return sources.find((source) => source.role(0).remainingMs() > 0.9 * thresholdMs);
    });
    expect(tokenOf(led)).toBeGreaterThanOrEqual(token);
    expect((await replica.admin.query('show transaction_read_only')).rows).toEqual([
      { transaction_read_only: 'off' },
    ]);
  });

  it('ends the belief of a leader whose claim a fail-over has lost, with greater tokens', async () => {
    const { replica, address, sources } = await replicated();
    const first = await eventually('a member leads', () => sources.find(leads));
    await caughtUp(replica);
    // The replica receives no commit any more: the next claim is lost with the primary.
    await replica.admin.query(`alter system set primary_conninfo = ''`);
    await replica.admin.query('select pg_reload_conf()');
    await eventually('the replica is detached', async () => {
      const { rowCount } = await test.admin.query('select 1 from pg_stat_replication');
      return rowCount === 0;
    });
    void first.role(0).resign();
    const second = await eventually('another member leads', () =>
      sources.find((source) => source !== first && leads(source)),
    );
    const lost = tokenOf(second);
    await test.server.kill();
    await promote(replica);
    address.leadTo(replica.server.port);
    await eventually('its belief ends', () => {
      expect(sources.filter(leads).length).toBeLessThan(2);
      return !leads(second) || tokenOf(second) > lost;
    });
    await eventually('a member leads with a greater token', () => {
      expect(sources.filter(leads).length).toBeLessThan(2);
      return sources.some((source) => leads(source) && tokenOf(source) > lost);
    });
  });

  /** Starts a replica, and two members at an address that follows the primary. */
  async function replicated() {
    const target = { port: test.server.port };
    const way = await tcpProxy(target);
    opened.push(way);
    const replica = administered(await test.server.replica());
    opened.push(replica);
    const group = randomUUID();
    const sources = ['a', 'b'].map((name) => member(name, group, way.port));
    await Promise.all(sources.map((source) => source.ready()));
    const leadTo = (port: number): void => {
      target.port = port;
      way.reset();
    };
    return { replica, sources, address: { leadTo } };
  }

  async function caughtUp(replica: TestServer): Promise<void> {
    const { rows } = await test.admin.query<{ lsn: string }>('select pg_current_wal_lsn() as lsn');
    await eventually('the replica has caught up', async () => {
      const { rows: replayed } = await replica.admin.query<{ done: boolean }>(
        'select pg_last_wal_replay_lsn() >= $1::pg_lsn as done',
        [rows[0]?.lsn],
      );
      return replayed[0]?.done === true;
    });
  }

  async function promote({ admin }: TestServer): Promise<void> {
    await admin.query('select pg_promote(true, 30)');
  }
});
