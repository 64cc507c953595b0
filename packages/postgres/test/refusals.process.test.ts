import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, chown, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { monotonicClock } from '@leadership/core/adapter';
import { eventually } from '@leadership/testkit/adapter';
import { hasLocalPostgres, type LocalPostgres } from '@leadership/tools/postgres';
import { changed, listed, prepared, refusedUserTest } from '@leadership/tools/rows';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresLeadership, postgresMigration } from '../src/index.ts';
import { pgConnections } from '../src/pg-connections.ts';
import { tableOf } from '../src/table.ts';
import { openRows } from './support/open-rows.ts';
import { administered, ownServer, type TestConfig, type TestServer } from './support/server.ts';

describe.runIf(await hasLocalPostgres())('a server or a table that cannot be used', () => {
  let test: TestServer<LocalPostgres>;
  beforeAll(async () => {
    test = await ownServer();
  });
  afterAll(() => test[Symbol.asyncDispose]());

  /** Creates a user with these rights on the table `leases` and its schema. */
  async function userWith(...grants: readonly string[]): Promise<TestConfig> {
    const user = `u${randomUUID().slice(0, 8)}`;
    await test.admin.query(postgresMigration({ table: 'leases' }));
    await test.admin.query(`create role ${user} login password 'p'`);
    for (const grant of grants) await test.admin.query(`grant ${grant} to ${user}`);
    return { ...test.config, user, password: 'p' };
  }

  const leases = { table: tableOf({ table: 'leases' }), create: false };

  async function failure(
    config: Parameters<typeof openRows>[0],
    options: Parameters<typeof openRows>[1] = {},
  ): Promise<{ readonly code: string; readonly message: string }> {
    await using open = openRows(config, options);
    return await prepared(open).then(
      () => ({ code: 'none', message: 'it was opened' }),
      ({ code, message }) => ({ code, message }),
    );
  }

  it('is created by 20 members at once', async () => {
    const table = tableOf({ table: 'raced' });
    const opened = Array.from({ length: 20 }, () => openRows(test.config, { table }));
    await Promise.all(opened.map((open) => prepared(open)));
    await Promise.all(opened.map((open) => open[Symbol.asyncDispose]()));
  });

  it('asks for the least rights that its documentation names', async () => {
    const rights = 'select, insert, update, delete on leases';
    await using open = openRows(await userWith('usage on schema public', rights), leases);
    await prepared(open);
    expect(await changed(open, 'a', null, 'one', true)).toEqual({ isDone: true });
    expect(await changed(open, 'a', 'one', 'two')).toEqual({ isDone: true });
    expect(await changed(open, 'a', 'two', null)).toEqual({ isDone: true });
    expect(await listed(open)).toEqual(new Map());
  });

  it.each(['insert', 'update', 'delete', 'select'])(
    'names the rights if %s is missing',
    async (right) => {
      const rights = ['select', 'insert', 'update', 'delete'].filter((one) => one !== right);
      await using open = openRows(await userWith(`${rights.join(', ')} on leases`), leases);
      const use = async (): Promise<void> => {
        await prepared(open);
        await changed(open, 'a', null, 'one');
        await changed(open, 'a', 'one', 'two');
        await changed(open, 'a', 'two', null);
      };
      await expect(use()).rejects.toMatchObject({
        code: 'unauthorized',
        message: expect.stringContaining('grant usage on the schema, and select, insert'),
      });
    },
  );

  it('names the right to create the table', async () => {
    expect(await failure(await userWith())).toEqual({
      code: 'unauthorized',
      message: expect.stringContaining('to create the table, also create on the schema'),
    });
  });

  it('is refused with a wrong password', async () => {
    expect(await failure({ ...test.config, password: 'wrong' })).toEqual({
      code: 'unauthorized',
      message: expect.stringContaining('the server refuses the user: correct user and password'),
    });
  });

  refusedUserTest(
    ({ port, password, ...options }) =>
      postgresLeadership({ ...options, connection: { ...test.config, port, password } }),
    () => test.config.port,
    () => test.config.password,
  );

  it('is refused without a password', async () => {
    expect(await failure({ ...test.config, password: '' })).toMatchObject({ code: 'unauthorized' });
  });

  it('is refused if the database does not exist', async () => {
    expect(await failure({ ...test.config, database: 'nowhere' })).toEqual({
      code: 'misconfigured-backend',
      message: expect.stringContaining('the database does not exist'),
    });
  });

  describe('a table that was not made by postgresMigration()', () => {
    const keys = 'primary key (group_name, name), unique (group_name, name, token)';
    const columns =
      'group_name text not null, name text not null, text text not null, token bigint';
    /** Creates a table, or whatever the SQL creates, by a name of its own for `NAME`. */
    const make = async (sql: string): Promise<ReturnType<typeof tableOf>> => {
      const table = `t${randomUUID().replaceAll('-', '')}`;
      await test.admin.query(sql.replaceAll('NAME', table));
      return tableOf({ table });
    };

    it.each([
      ['without keys', `create table NAME (${columns})`, 'ADD PRIMARY KEY (group_name, name)'],
      [
        'without the key of the token',
        `create table NAME (${columns}, primary key (group_name, name))`,
        'ADD UNIQUE (group_name, name, token)',
      ],
      [
        'with a deferred key',
        `create table NAME (${columns}, unique (group_name, name) deferrable, unique (group_name, name, token))`,
        'ADD PRIMARY KEY (group_name, name)',
      ],
    ])('is refused %s, with the statement that adds it', async (_, sql, remedy) => {
      const table = await make(sql);
      const refused = await failure(test.config, { table });
      const statement = `ALTER TABLE "public"."${table.table}" ${remedy}`;
      expect(refused).toEqual({
        code: 'misconfigured-backend',
        message: expect.stringContaining(`Run: ${statement}`),
      });
      await test.admin.query(statement);
      expect((await failure(test.config, { table })).message).not.toContain(remedy);
    });

    it.each([
      ['a type', columns.replace('name text', 'name char(40)')],
      ['a column', columns.replace(', token bigint', ', token int')],
    ])('is refused with another definition of %s', async (_, other) => {
      const table = await make(`create table NAME (${other}, ${keys})`);
      expect(await failure(test.config, { table })).toEqual({
        code: 'misconfigured-backend',
        message: expect.stringMatching(/the table has other columns: (group_name|token) must/),
      });
    });

    it('is refused with a collation by which other texts are equal', async () => {
      await test.admin.query(
        `create collation if not exists folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`,
      );
      const table = await make(
        `create table NAME (${columns.replace('name text', 'name text collate folded')}, ${keys})`,
      );
      expect((await failure(test.config, { table })).message).toContain(
        'other columns: group_name must',
      );
    });

    it('is refused if the name is that of a view', async () => {
      const table = await make('create view NAME as select 1 as one');
      expect((await failure(test.config, { table })).message).toContain('that of a view');
    });

    it('is accepted with other deterministic collations, and if it is partitioned', async () => {
      const table = await make(
        `create table NAME (${columns.replace('name text', 'name varchar')}, ${keys}) partition by list (group_name)`,
      );
      await test.admin.query(`create table ${table.table}_all partition of ${table.table} default`);
      await using open = openRows(test.config, { table });
      await prepared(open);
      expect(await changed(open, 'a', null, 'one')).toEqual({ isDone: true });
      expect(await changed(open, 'a', 'one', 'two')).toEqual({ isDone: true });
    });

    it('is refused by a later statement if its key was dropped meanwhile', async () => {
      const table = await make(`create table NAME (${columns}, ${keys})`);
      await using open = openRows(test.config, { table });
      await prepared(open);
      await test.admin.query(`alter table ${table.table} drop constraint ${table.table}_pkey`);
      await expect(changed(open, 'a', null, 'one')).rejects.toMatchObject({
        code: 'misconfigured-backend',
        message: expect.stringContaining('ADD PRIMARY KEY (group_name, name)'),
      });
    });
  });

  it('is refused if the table does not exist and may not be created', async () => {
    const table = tableOf({ table: 'missing' });
    expect(await failure(test.config, { table, create: false })).toEqual({
      code: 'misconfigured-backend',
      message: expect.stringContaining('run the SQL that postgresMigration() returns'),
    });
  });

  it('is awaited by an observer, which only reads: it needs no right to create the table, and then only select', async () => {
    const observer = await userWith();
    await test.admin.query(`alter role ${observer.user} set default_transaction_read_only = on`);
    const [group, table] = [randomUUID(), tableOf({ table: 'awaited' })];
    await using open = openRows(observer, { group, table });
    await prepared(open, false);
    expect(await listed(open)).toEqual(new Map());
    const exists = await test.admin.query("select to_regclass('awaited') as name");
    expect(exists.rows).toEqual([{ name: null }]);
    await using member = openRows(test.config, { group, table });
    await prepared(member);
    await changed(member, 'a', null, 'one');
    await test.admin.query(`grant select on awaited to ${observer.user}`);
    expect(await listed(open)).toEqual(new Map([['a', 'one']]));
  });

  it('is refused if the schema does not exist', async () => {
    expect(await failure(test.config, { table: tableOf({ schema: 'nowhere' }) })).toEqual({
      code: 'misconfigured-backend',
      message: expect.stringContaining('the schema does not exist'),
    });
  });

  it('is refused if the table has other columns', async () => {
    await test.admin.query('create table theirs (id int)');
    await using open = openRows(test.config, { table: tableOf({ table: 'theirs' }) });
    await expect(prepared(open)).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining('the table has other columns'),
    });
  });

  it('is refused if the table is unlogged', async () => {
    await test.admin.query(postgresMigration({ table: 'unlogged' }));
    await test.admin.query('alter table unlogged set unlogged');
    expect(await failure(test.config, { table: tableOf({ table: 'unlogged' }) })).toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining('the table is unlogged'),
    });
  });

  it('is refused if transactions are read-only', async () => {
    const config = await userWith();
    await test.admin.query(`alter role ${config.user} set default_transaction_read_only = on`);
    expect(await failure(config)).toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining('transactions are read-only'),
    });
  });

  it('is refused if the encoding of the database is not UTF8', async () => {
    await test.admin.query(`create database latin encoding 'LATIN1' locale 'C' template template0`);
    expect(await failure({ ...test.config, database: 'latin' })).toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining('the encoding of the database is LATIN1'),
    });
  });

  it('is refused on a replica, which also answers no read', async () => {
    await prepared(openRows(test.config));
    await using replica = administered(await test.server.replica());
    expect(await failure(replica.config)).toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining('the server is a replica'),
    });
    await using open = openRows(replica.config);
    await expect(listed(open)).rejects.toThrow('the server is a replica');
    const changes = [{ name: 'a', expected: null, text: 'one' }];
    await using other = openRows(replica.config);
    const writing = other.rows.exchange({ changes, since: undefined }, AbortSignal.timeout(10_000));
    await expect(writing).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('the server is read-only'),
    });
  });

  it('is refused if the server offers no TLS', async () => {
    expect(await failure({ ...test.config, ssl: true })).toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining('the server does not support TLS'),
    });
  });

  it('is refused if the certificate is not trusted, and used if it is', async () => {
    const ca = await serveTls();
    expect(await failure({ ...test.config, ssl: true })).toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining('the certificate of the server is not trusted'),
    });
    const trusting = { ...test.config, host: 'localhost', ssl: { ca } };
    expect(await failure(trusting)).toMatchObject({ code: 'none' });
    const misnamed = { ...test.config, ssl: { ca } };
    expect(await failure(misnamed)).toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining('127.0.0.1'),
    });
  });

  /** Makes the server offer TLS with a new certificate for `localhost`, and returns it. */
  async function serveTls(): Promise<string> {
    const [key, certificate] = ['server.key', 'server.crt'].map((name) =>
      join(test.server.directory, 'data', name),
    ) as [string, string];
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const files = ['-keyout', key, '-out', certificate];
    const kind = ['-x509', '-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    await promisify(execFile)('openssl', ['req', ...kind, '-days', '2', ...names, ...files]);
    const { uid, gid } = await stat(test.server.directory);
    for (const file of [key, certificate]) await chown(file, uid, gid);
    await chmod(key, 0o600);
    await test.admin.query('alter system set ssl = on');
    await test.admin.query('select pg_reload_conf()');
    await eventually('the server offers TLS', async () => {
      const { rows } = await test.admin.query('show ssl');
      return rows[0]?.ssl === 'on';
    });
    return readFile(certificate, 'utf8');
  }

  it('is refused if the server is too old', async () => {
    const real = pgConnections({
      connection: test.config,
      group: 'g',
      thresholdMs: 3000,
      clock: monotonicClock,
    });
    // The real answer of the server, with the version of an older one.
    const older = {
      ...real,
      query: async (...asked: Parameters<typeof real.query>) =>
        (await real.query(...asked)).map((row) => ({
          ...row,
          version: '140012',
          release: '14.12',
        })),
    };
    expect(await failure(older)).toEqual({
      code: 'misconfigured-backend',
      message: expect.stringContaining('the server is Postgres 14.12, but 15 is the oldest'),
    });
  });

  it('is retried if no connection is left, and while the server stops', async () => {
    const config = await userWith('usage on schema public');
    await test.admin.query(`alter role ${config.user} connection limit 0`);
    expect(await failure(config, leases)).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('no connection left'),
    });
    await test.admin.query(`alter role ${config.user} connection limit -1`);
    await using open = openRows(test.config);
    await prepared(open);
    await test.server.stop();
    await expect(listed(open)).rejects.toMatchObject({ code: 'unreachable' });
    await test.server.start();
    expect(await listed(open)).toEqual(new Map());
  });
});
