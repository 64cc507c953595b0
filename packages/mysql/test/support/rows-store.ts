import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { monotonicClock, type Rows } from '@leadership/core/adapter';
import type { RowsStore } from '@leadership/testkit';
import { eventually } from '@leadership/testkit/adapter';
import { type TcpProxy, tcpProxy } from '@leadership/testkit/faults';
import { type LocalMysql, localMysql } from '@leadership/tools/mysql';
import { createPool, type PoolConnection } from 'mysql2/promise';
import { type Connections, givenConnections } from '../../src/connections.ts';
import { mysql2Connections } from '../../src/mysql2-connections.ts';
import { mysqlMigration } from '../../src/table.ts';
import { openRows } from './open-rows.ts';
import { administered, rowsOf, type TestConfig, type TestServer } from './server.ts';

/** The store under test, and what only tests of MySQL need. */
export interface MysqlStore extends RowsStore {
  readonly server: TestServer<LocalMysql>;
  /** Begins a transaction. */
  transaction(): Promise<PoolConnection>;
  commit(client: PoolConnection): Promise<void>;
}

type Connect = (config: TestConfig, group: string) => Connections;

const thresholdMs = 3000;

/** Connections of a member's own. */
export function ownConnections(connection: TestConfig, group: string): Connections {
  return mysql2Connections({ connection, clock: monotonicClock, group, thresholdMs });
}

/** A pool of the application, with settings that the adapter does not choose. */
export function givenConnectionsOf(config: TestConfig): Connections {
  const pool = createPool({
    ...config,
    ...{ connectionLimit: 2, multipleStatements: true, charset: 'latin1_swedish_ci' },
    ...{ supportBigNumbers: true, bigNumberStrings: true, dateStrings: true },
  });
  pool.on('connection', (connection) => {
    connection.query(
      `set sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT'; set session transaction isolation level serializable`,
    );
  });
  const connections = givenConnections(async (sql) => {
    const client = await pool.getConnection();
    try {
      const [results] = await client.query(sql);
      client.release();
      return results as readonly unknown[];
    } catch (error) {
      client.destroy();
      throw error;
    }
  });
  return { ...connections, close: () => pool.end() };
}

/** A primary that members reach through proxies, which follow it when a replica takes its place. */
export async function openStore(connect: Connect): Promise<MysqlStore> {
  let primary: TestServer<LocalMysql> = administered(await localMysql());
  const servers = [primary];
  const target = { port: primary.config.port };
  const ways = new Map<Rows, TcpProxy>();
  /** The transactions that a failed test has not committed. */
  const begun = new Set<PoolConnection>();
  const transaction = async (): Promise<PoolConnection> => {
    const client = await primary.admin.getConnection();
    begun.add(client);
    await client.query('start transaction');
    return client;
  };
  const commit = async (client: PoolConnection): Promise<void> => {
    await client.query('commit');
    begun.delete(client);
    client.release();
  };
  const open = async (group: string, table: string): Promise<Rows> => {
    const way = await tcpProxy(target);
    const connections = connect({ ...primary.config, port: way.port }, group);
    // Also a server that was started or promoted a moment ago is trusted at first.
    const { rows } = openRows(connections, { group, thresholdMs, doubtMs: 0, table });
    ways.set(rows, way);
    return rows;
  };
  const wayOf = (rows: Rows): TcpProxy => {
    const way = ways.get(rows);
    if (way === undefined) throw new Error('unknown rows');
    return way;
  };
  return {
    name: 'MariaDB',
    get server() {
      return primary;
    },
    transaction,
    commit,
    cannot: {
      'lagging-reads': 'readings are of the primary',
      notifications: 'the server cannot notify its clients',
      nul: 'the port excludes it',
    },
    openRows: (group) => open(group, 'leadership'),
    locks: true,
    async put(group, name, text) {
      const values = [group, name, text];
      await primary.admin.query(
        text === null
          ? 'delete from leadership where group_name = ? and name = ?'
          : 'insert into leadership (group_name, name, text) values (?, ?, ?) on duplicate key update text = values(text)',
        values,
      );
    },
    async begin(group, name, text) {
      const client = await transaction();
      const set = 'update leadership set text = ? where group_name = ? and name = ?';
      await client.query(set, [text, group, name]);
      return () => commit(client);
    },
    loseReplies: (rows) => wayOf(rows).cutOneWay('to-client'),
    async restore(during) {
      await primary.admin.query('create table backup as select * from leadership');
      await during();
      // The time of a creation is in whole seconds.
      await pause(1100);
      // As the program mariadb-dump does it.
      await primary.admin.query(
        `drop table leadership; ${mysqlMigration()}; insert into leadership select * from backup; drop table backup`,
      );
    },
    async promote(during) {
      const replica = administered(await primary.server.replica());
      servers.push(replica);
      await primary.admin.query('create table mark (id int)');
      await eventually('the replica has every change', async () => {
        const found = await rowsOf(replica.admin, "show tables like 'mark'");
        return found.length === 1;
      });
      await replica.admin.query('stop slave');
      await during();
      await primary.server.kill();
      await replica.admin.query('reset slave all; set global read_only = 0');
      primary = replica;
      target.port = replica.config.port;
      for (const way of ways.values()) way.reset();
    },
    elsewhere() {
      const table = `t${randomUUID().slice(0, 8)}`;
      return (group) => open(group, table);
    },
    async [Symbol.asyncDispose]() {
      for (const client of begun) client.destroy();
      for (const way of ways.values()) await way[Symbol.asyncDispose]();
      for (const server of servers) await server[Symbol.asyncDispose]();
    },
  };
}
