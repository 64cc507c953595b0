import { randomUUID } from 'node:crypto';
import { hasPostgres } from '@leadership/tools/postgres';
import { changed, networkTests, prepared, silenceTests, writerTests } from '@leadership/tools/rows';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { givenConnections } from '../src/connections.ts';
import { postgresLeadership } from '../src/index.ts';
import { openRows } from './support/open-rows.ts';
import { type TestServer, testServer } from './support/server.ts';

describe.runIf(await hasPostgres())('requests to Postgres', () => {
  let test: TestServer;
  beforeAll(async () => {
    test = await testServer();
    await prepared(openRows(test.config));
  });
  afterAll(() => test[Symbol.asyncDispose]());

  networkTests(
    ({ port, ...options }) =>
      postgresLeadership({ ...options, connection: { ...test.config, port } }),
    () => test.config.port,
  );

  silenceTests(
    ({ port, ...options }) => openRows({ ...test.config, port }, options),
    () => test.config.port,
  );

  writerTests((options) => openRows(test.config, options), false);

  it('keep their plans, and go on by another connection once a column has another type', async () => {
    await using server = await testServer();
    const open = openRows(server.config);
    await prepared(open);
    await changed(open, 'a', null, '1');
    await server.admin.query('alter table leadership alter column name type varchar');
    // The server refuses a plan that it made before.
    await expect(changed(open, 'a', '1', '2')).rejects.toThrow('cached plan');
    await expect(changed(open, 'a', '1', '2')).resolves.toEqual({ isDone: true });
    await open[Symbol.asyncDispose]();
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
      const summary = rows.find(({ name }) => name === null)?.['text'];
      if (summary) seen.push(JSON.parse(String(summary)).durable);
      return rows;
    }, undefined);
    const open = openRows({ ...connections, close: () => sql.end() });
    await changed(open, 'a', null, 'one');
    expect(seen).toEqual([undefined, 'on']);
    expect(await sql`show synchronous_commit`).toEqual([{ synchronous_commit: 'off' }]);
    await open[Symbol.asyncDispose]();
  });
});
