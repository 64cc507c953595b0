import { join } from 'node:path';
import { openLeadership } from '@leadership/core';
import { registerBackend } from '@leadership/core/adapter';
import type { Cluster } from '@leadership/testkit';
import { conformanceTests } from '@leadership/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { sqliteBackend } from '../src/sqlite-backend.ts';
import { type Database, sqliteLeadership, sqliteRows } from '../src/sqlite-leadership.ts';
import { scratchDirectory } from './scratch-directory.ts';

type Connection = Database & { close(): void };
type NewConnection = new (path: string) => Connection;

/** SQLite is part of Node 22.13 and newer. Any version can have it as a package. */
async function sqlite(): Promise<NewConnection | undefined> {
  for (const [name, connection] of [
    ['node:sqlite', 'DatabaseSync'],
    ['better-sqlite3', 'default'],
  ] as const) {
    const found: unknown = await import(name).catch(() => undefined);
    if (found !== undefined) return (found as Record<string, NewConnection>)[connection];
  }
  return undefined;
}

/** Returns a cluster over a database file. Each member has a connection of its own. */
async function sqliteCluster(Connection: NewConnection): Promise<Cluster> {
  const directory = await scratchDirectory();
  const connections: Connection[] = [];
  const connect = (): Connection => {
    const connection = new Connection(join(directory.path, 'leases.db'));
    connection.exec('PRAGMA busy_timeout = 100; PRAGMA journal_mode = WAL');
    connections.push(connection);
    return connection;
  };
  const operator = connect();
  return {
    name: 'sqlite',
    thresholdMs: 1000,
    open: (options) => sqliteLeadership({ ...options, database: connect() }),
    cannot: { cut: 'a file on this host' },
    async deleteState(group) {
      operator.prepare('DELETE FROM leadership WHERE member_group = ?').run(group);
    },
    async putGarbage(group, partition) {
      operator
        .prepare("UPDATE leadership SET text = '{' WHERE member_group = ? AND name = ?")
        .run(group, `partition#${partition}`);
    },
    async [Symbol.asyncDispose]() {
      for (const connection of connections) connection.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}

const Connection = await sqlite();
describe('an adapter for SQLite', () => {
  if (Connection === undefined)
    return it.skip('needs Node 22.13 or newer, or the package better-sqlite3');
  conformanceTests(() => sqliteCluster(Connection));

  it('is opened by URL', async () => {
    const database = new Connection(':memory:');
    registerBackend(sqliteBackend);
    const source = await openLeadership('sqlite:?group=g&thresholdMs=500', { database });
    await source.ready();
    expect(source.guarantees.tokens).toBe('ordered');
    await source.close();
    database.close();
  });

  it('changes a row only if it holds the expected text, in its own group', async () => {
    const database = new Connection(':memory:');
    const { signal } = new AbortController();
    const [rows, others] = [sqliteRows(database, 'g'), sqliteRows(database, 'h')];
    await rows.open?.({ signal, mayCreate: false });
    expect([...(await rows.list({ signal, mayLag: true }))]).toEqual([]);
    expect(database.prepare('SELECT name FROM sqlite_schema').all()).toEqual([]);
    await rows.open?.({ signal, mayCreate: true });
    const replace = async (expected: string | null, text: string | null): Promise<boolean> =>
      (await rows.replace({ name: 'row', expected, text, isAwaited: false }, signal)).isDone;
    const list = async (): Promise<unknown> => [...(await rows.list({ signal, mayLag: false }))];
    expect([await replace('x', 'a'), await replace(null, 'a'), await replace(null, 'b')]).toEqual([
      false,
      true,
      false,
    ]);
    expect(await list()).toEqual([['row', 'a']]);
    expect([await replace('x', 'b'), await replace('x', null)]).toEqual([false, false]);
    expect([await replace('a', 'b'), await replace('a', 'c')]).toEqual([true, false]);
    expect(await list()).toEqual([['row', 'b']]);
    expect([...(await others.list({ signal, mayLag: false }))]).toEqual([]);
    expect([await replace('b', null), await replace('b', 'c')]).toEqual([true, false]);
    database.close();
  });
});
