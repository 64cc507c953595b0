import { randomUUID } from 'node:crypto';
import { eventually } from '@leadership/testkit/adapter';
import { hasPostgres } from '@leadership/tools/postgres';
import { changed, prepared, rowsTests, silenceTests, writerTests } from '@leadership/tools/rows';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Connections, givenConnections } from '../src/connections.ts';
import { openRows } from './support/open-rows.ts';
import { type TestServer, testServer } from './support/server.ts';

describe.runIf(await hasPostgres())('rows on Postgres', () => {
  let test: TestServer;
  beforeAll(async () => {
    test = await testServer();
    await prepared(openRows(test.config));
  });
  afterAll(() => test[Symbol.asyncDispose]());

  describe('with the driver pg', () => {
    rowsTests((options) => openRows(test.config, options));

    silenceTests(
      ({ port, ...options }) => openRows({ ...test.config, port }, options),
      () => test.config.port,
    );
  });

  describe('with the driver postgres', () =>
    rowsTests((options) => openRows(overPostgres(test), options)));

  writerTests((options) => openRows(test.config, options), false);

  it('returns no text if a concurrent transaction changed the row after the snapshot', async () => {
    await using open = openRows(test.config);
    await changed(open, 'r', null, 'one');
    const other = await test.admin.connect();
    await other.query('begin');
    await other.query(`update leadership set text = 'two' where name = 'r' and text = 'one'`);
    const outcome = changed(open, 'r', 'one', 'three');
    await eventually('the writer waits for the other transaction', async () => {
      const { rows } = await test.admin.query('select 1 from pg_locks where not granted');
      return rows.length > 0;
    });
    await other.query('commit');
    other.release();
    expect(await outcome).toEqual({ isDone: false });
  });

  it('commits on disk even if the user has switched synchronous_commit off', async () => {
    const { user, database } = test.config;
    const role = `r${randomUUID().slice(0, 8)}`;
    await test.admin.query(`create role ${role} login password 'p' in role ${user}`);
    await test.admin.query(
      `alter role ${role} in database ${database} set synchronous_commit = off`,
    );
    const seen: unknown[] = [];
    const sql = postgres({ ...test.config, user: role, password: 'p', max: 1 });
    const connections = givenConnections(async (text, values) => {
      const rows = await sql.unsafe(text, [...values]);
      seen.push(rows[0]?.['durable']);
      return rows;
    }, undefined);
    const open = openRows({ ...connections, close: () => sql.end() });
    await changed(open, 'a', null, 'one');
    expect(seen).toEqual(['on']);
    expect(await sql`show synchronous_commit`).toEqual([{ synchronous_commit: 'off' }]);
    await open[Symbol.asyncDispose]();
  });
});

/** An application may have other parsers of types. */
const types = { bool: { to: 16, from: [16], serialize: String, parse: (text: string) => text } };

/** Connections over the driver `postgres`, as an application passes them. */
function overPostgres({ config }: TestServer): Connections {
  const sql = postgres({ ...config, types, max: 2, onnotice: () => undefined });
  const connections = givenConnections(
    (text, values) => sql.unsafe(text, [...values]),
    async (channel, notified) => (await sql.listen(channel, notified)).unlisten,
  );
  return { ...connections, close: () => sql.end({ timeout: 1 }) };
}
