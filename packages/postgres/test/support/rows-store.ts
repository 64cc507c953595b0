import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { monotonicClock, type Rows } from '@leadership/core/adapter';
import type { RowsStore } from '@leadership/testkit';
import { eventually } from '@leadership/testkit/adapter';
import { type TcpProxy, tcpProxy } from '@leadership/testkit/faults';
import { type LocalPostgres, localPgbouncer, localPostgres } from '@leadership/tools/postgres';
import type pg from 'pg';
import postgres from 'postgres';
import { type Connections, givenConnections } from '../../src/connections.ts';
import { pgConnections } from '../../src/pg-connections.ts';
import { postgresMigration, tableOf } from '../../src/table.ts';
import { openRows } from './open-rows.ts';
import { administered, type TestConfig, type TestServer } from './server.ts';

const run = promisify(execFile);

/** The store under test, and what only tests of Postgres need. */
export interface PostgresStore extends RowsStore {
  readonly admin: TestServer['admin'];
  /** Begins a transaction. */
  transaction(): Promise<pg.PoolClient>;
  commit(client: pg.PoolClient): Promise<void>;
  /** Keeps a copy of the disk, calls the function, and then goes on with the copy. */
  rollBack(during: () => Promise<void>): Promise<void>;
}

type Connect = (config: TestConfig, group: string) => Connections;

const thresholdMs = 3000;

/** Connections of a member's own. */
export function ownConnections(connection: TestConfig, group: string): Connections {
  return pgConnections({ connection, clock: monotonicClock, group, thresholdMs });
}

/** An application may have other parsers of types. */
const types = { bool: { to: 16, from: [16], serialize: String, parse: (text: string) => text } };

/** The driver `postgres`, as an application passes it. */
export function givenByPostgres(config: TestConfig): Connections {
  const sql = postgres({ ...config, types, max: 2, onnotice: () => undefined });
  const connections = givenConnections(
    (text, values) => sql.unsafe(text, [...values]),
    async (channel, notified) => (await sql.listen(channel, notified)).unlisten,
  );
  return { ...connections, close: () => sql.end({ timeout: 1 }) };
}

const columns = '(group_name, name, text)';

/** A primary that members reach through proxies, which follow it when a replica takes its place. */
export async function openStore(
  connect: Connect,
  { isPooled = false }: { readonly isPooled?: boolean } = {},
): Promise<PostgresStore> {
  let primary: TestServer<LocalPostgres> = administered(await localPostgres());
  const servers = [primary];
  const pooler = isPooled ? await localPgbouncer(primary.server) : undefined;
  const target = { port: pooler?.port ?? primary.config.port };
  const ways = new Map<Rows, TcpProxy>();
  /** The transactions that a failed test has not committed. */
  const begun = new Set<pg.PoolClient>();
  const transaction = async (): Promise<pg.PoolClient> => {
    const client = await primary.admin.connect();
    begun.add(client);
    await client.query('begin');
    return client;
  };
  const commit = async (client: pg.PoolClient): Promise<void> => {
    await client.query('commit');
    begun.delete(client);
    client.release();
  };
  const open = async (group: string, table: string): Promise<Rows> => {
    const way = await tcpProxy(target);
    const connections = connect({ ...primary.config, port: way.port }, group);
    // Also a server that was started or promoted a moment ago is trusted at first.
    const options = { group, thresholdMs, doubtMs: 0, table: tableOf({ table }) };
    const { rows } = openRows(connections, options);
    ways.set(rows, way);
    return rows;
  };
  const wayOf = (rows: Rows): TcpProxy => {
    const way = ways.get(rows);
    if (way === undefined) throw new Error('unknown rows');
    return way;
  };
  return {
    name: 'Postgres',
    transaction,
    commit,
    get admin() {
      return primary.admin;
    },
    async rollBack(during) {
      const { rows } = await primary.admin.query('show data_directory');
      const data = String(rows[0]?.data_directory);
      await primary.server.stop();
      await run('cp', ['-a', data, `${data}-kept`]);
      await primary.server.start();
      await during();
      await primary.server.kill();
      await run('rm', ['-r', data]);
      await run('mv', [`${data}-kept`, data]);
      await primary.server.start();
    },
    cannot: {
      'lagging-reads': 'readings are of the primary',
      nul: 'a text has no NUL',
      'lost-replies': 'the driver asks for the types of the parameters before it sends them',
    },
    openRows: (group) => open(group, 'leadership'),
    notifies: true,
    locks: true,
    async put(group, name, text) {
      if (text === null)
        await primary.admin.query('delete from leadership where group_name = $1 and name = $2', [
          group,
          name,
        ]);
      else
        await primary.admin.query(
          `insert into leadership ${columns} values ($1, $2, $3) on conflict (group_name, name) do update set text = excluded.text`,
          [group, name, text],
        );
    },
    async begin(group, name, text) {
      const client = await transaction();
      // The list of running transactions does not show those of savepoints.
      await client.query('savepoint s');
      const set = 'update leadership set text = $3 where group_name = $1 and name = $2';
      await client.query(set, [group, name, text]);
      return () => commit(client);
    },
    ...(connect === ownConnections && {
      loseReplies: (rows: Rows) => wayOf(rows).cutOneWay('to-client'),
    }),
    async restore(during) {
      await primary.admin.query('create table backup as table leadership');
      await during();
      // As pg_restore --clean does it.
      const rows = `insert into leadership select * from backup`;
      await primary.admin.query(
        `begin; drop table leadership; ${postgresMigration()}; ${rows}; drop table backup; commit`,
      );
    },
    async promote(during) {
      const replica = administered(await primary.server.replica());
      servers.push(replica);
      await caughtUp(primary, replica);
      await replica.admin.query(`alter system set primary_conninfo = ''`);
      await replica.admin.query('select pg_reload_conf()');
      await eventually('the replica receives nothing', async () => {
        const { rowCount } = await replica.admin.query('select from pg_stat_wal_receiver');
        return rowCount === 0;
      });
      await during();
      await primary.server.kill();
      await replica.admin.query('select pg_promote(true, 60)');
      primary = replica;
      target.port = replica.config.port;
      for (const way of ways.values()) way.reset();
    },
    elsewhere() {
      const table = `t${randomUUID().slice(0, 8)}`;
      return (group) => open(group, table);
    },
    async [Symbol.asyncDispose]() {
      for (const client of begun) client.release(true);
      for (const way of ways.values()) await way[Symbol.asyncDispose]();
      await pooler?.[Symbol.asyncDispose]();
      for (const server of servers) await server[Symbol.asyncDispose]();
    },
  };
}

async function caughtUp(primary: TestServer, replica: TestServer): Promise<void> {
  const { rows } = await primary.admin.query('select pg_current_wal_lsn()::text as lsn');
  await eventually('the replica has every commit', async () => {
    const sql = 'select pg_last_wal_replay_lsn() >= $1::text::pg_lsn as has';
    return (await replica.admin.query(sql, [rows[0]?.lsn])).rows[0]?.has === true;
  });
}
