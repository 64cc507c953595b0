import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { openLeadership } from '@leadership/core';
import { registerBackend } from '@leadership/core/adapter';
import type { Cluster, OpenRows, RowsStore } from '@leadership/testkit';
import { recordingHost } from '@leadership/testkit/adapter';
import { processCluster } from '@leadership/testkit/faults';
import { conformanceTests, rowsTests } from '@leadership/testkit/vitest';
import { afterAll, describe, expect, it } from 'vitest';
import { backend, sqliteLeadership, sqliteRows } from '../src/sqlite-leadership.ts';
import { scratchDirectory } from './scratch-directory.ts';

/** A database of `node:sqlite`, as a person uses it. */
interface Connection {
  prepare(sql: string): {
    all(...values: readonly string[]): unknown[];
    run(...values: readonly string[]): unknown;
  };
  close(): void;
}
type NewConnection = new (path: string) => Connection;

/** SQLite is part of Node 22.13 and newer. */
async function sqlite(): Promise<NewConnection | undefined> {
  const name = 'node:sqlite';
  const found: unknown = await import(name).catch(() => undefined);
  return found === undefined
    ? undefined
    : (found as { readonly DatabaseSync: NewConnection }).DatabaseSync;
}

/** A person with a connection to the file that has this name now. */
function operatorOf(Connection: NewConnection, file: string) {
  const connected = <T>(use: (connection: Connection) => T): T => {
    const connection = new Connection(file);
    connection.prepare('PRAGMA busy_timeout = 5000').all();
    try {
      return use(connection);
    } finally {
      connection.close();
    }
  };
  return {
    rowsOf: (group: string): ReadonlyMap<string, string> =>
      connected((connection) => {
        if (connection.prepare('SELECT name FROM sqlite_schema').all().length === 0)
          return new Map();
        const selection = 'SELECT name, text FROM leadership WHERE member_group = ?';
        const rows = connection.prepare(selection).all(group) as { name: string; text: string }[];
        return new Map(rows.map(({ name, text }) => [name, text]));
      }),
    put: (group: string, name: string, text: string | null): void =>
      connected((connection) => {
        connection
          .prepare('DELETE FROM leadership WHERE member_group = ? AND name = ?')
          .run(group, name);
        if (text === null) return;
        connection.prepare('INSERT INTO leadership VALUES (?, ?, ?)').run(group, name, text);
      }),
    dropTable: (): void =>
      connected((connection) => void connection.prepare('DROP TABLE leadership').run()),
    removeAll: (group: string): void =>
      connected((connection) => {
        connection.prepare('DELETE FROM leadership WHERE member_group = ?').run(group);
      }),
  };
}

const Connection = await sqlite();
describe('an adapter for SQLite', () => {
  if (Connection === undefined) return it.skip('needs Node 22.13 or newer');
  const scratch = scratchDirectory();
  afterAll(async () => (await scratch)[Symbol.asyncDispose]());
  const newFile = async (): Promise<string> => join((await scratch).path, `${randomUUID()}.db`);
  const signal = new AbortController().signal;
  const thresholdMs = 1000;

  async function openStore(): Promise<RowsStore> {
    const file = await newFile();
    const operator = operatorOf(Connection as NewConnection, file);
    const openIn =
      (path: string): OpenRows =>
      (group) =>
        sqliteRows(path, { group, thresholdMs: 30_000 }, recordingHost('m'));
    return {
      name: 'SQLite',
      openRows: openIn(file),
      holdsNul: true,
      cannot: {
        'open-transactions': 'a transaction locks the whole database',
        'locked-rows': 'a transaction locks the whole database',
        'lost-replies': 'the calls of a file are not given up',
        notifications: 'members poll',
        'lagging-reads': 'a file has no replica',
        'promoted-replica': 'a file has no replica',
        'restored-backup': 'a file is restored while no member runs',
      },
      put: async (...row) => operator.put(...row),
      elsewhere: () => openIn(`${file}-${randomUUID()}`),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }

  async function openCluster(): Promise<Cluster> {
    const file = await newFile();
    const operator = operatorOf(Connection as NewConnection, file);
    return processCluster({
      name: 'sqlite',
      thresholdMs,
      open: (options) => sqliteLeadership({ ...options, file }),
      url: (group) => `sqlite:${file}?group=${encodeURIComponent(group)}`,
      module: new URL('../dist/sqlite-leadership.js', import.meta.url).href,
      cannot: {
        cut: 'a file on this host',
        'stopped-processes':
          'one that is stopped within a transaction keeps the file locked until it goes on',
      },
      contents: async (group) => Array.from(operator.rowsOf(group), (row) => row.join(': ')),
      deleteState: async (group) => operator.removeAll(group),
      putGarbage: async (group, partition) => operator.put(group, `partition#${partition}`, '{'),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    });
  }

  rowsTests(openStore);
  conformanceTests(openCluster);

  it('is opened by URL', async () => {
    registerBackend(backend);
    const source = await openLeadership(`sqlite:${await newFile()}?group=g&thresholdMs=500`);
    await source.ready();
    expect(source.guarantees.tokens).toBe('ordered');
    await source.close();
  });

  it('creates the table again after a person has removed it', async () => {
    const file = await newFile();
    const rows = sqliteRows(file, { group: 'g', thresholdMs }, recordingHost('m'));
    await rows.open?.(signal, true);
    const { position } = await rows.exchange({ changes: [], since: undefined }, signal);
    operatorOf(Connection, file).dropTable();
    const request = { changes: [{ name: 'a', expected: null, text: '1' }], since: position };
    await expect(rows.exchange(request, signal)).rejects.toMatchObject({
      code: 'misconfigured-backend',
    });
    await expect
      .poll(() => rows.exchange(request, signal).catch(() => undefined))
      .toMatchObject({ outcomes: [true], rows: [['a', '1']], isWhole: true });
    await rows.close();
  });

  it('names the file, the rule and the remedy if the file cannot be opened', async () => {
    const file = join(await newFile(), 'missing', 'leases.db');
    await using source = sqliteLeadership({ file, group: 'g', thresholdMs });
    await expect(source.ready()).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringMatching(/^table "leadership" of .*leases\.db: let this user write/),
    });
    await expect(() => sqliteLeadership({ file: '', group: 'g' })).toThrow('file must be the path');
  });

  it('never begins a term of a file that another process holds locked', async () => {
    const file = await newFile();
    const holder = new Connection(file);
    holder.prepare('BEGIN IMMEDIATE').run();
    await using source = sqliteLeadership({ file, group: 'g', thresholdMs });
    await expect.poll(() => source.health().troubles.length).toBeGreaterThan(0);
    expect(source.held().size).toBe(0);
    holder.prepare('COMMIT').run();
    holder.close();
    await source.ready();
  });
});
