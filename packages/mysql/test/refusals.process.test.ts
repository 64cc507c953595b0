import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { monotonicClock } from '@leadership/core/adapter';
import { eventually } from '@leadership/testkit/adapter';
import { hasLocalMysql, type LocalMysql } from '@leadership/tools/mysql';
import { changed, listed, prepared, refusedUserTest } from '@leadership/tools/rows';
import { createPool } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { givenConnections } from '../src/connections.ts';
import { fence, mysqlLeadership, mysqlMigration } from '../src/index.ts';
import { mysql2Connections } from '../src/mysql2-connections.ts';
import { openRows } from './support/open-rows.ts';
import {
  administered,
  ownServer,
  rowsOf,
  type TestConfig,
  type TestServer,
} from './support/server.ts';

describe.runIf(await hasLocalMysql())('a server or a table that cannot be used', () => {
  let test: TestServer<LocalMysql>;
  beforeAll(async () => {
    test = await ownServer();
  });
  afterAll(() => test[Symbol.asyncDispose]());

  /** Creates a user with these rights on the table `leases`. */
  async function userWith(grants: string): Promise<TestConfig> {
    const user = `u${randomUUID().slice(0, 8)}`;
    await test.admin.query(mysqlMigration({ table: 'leases' }));
    await test.admin.query(`create user ${user}@'%' identified by 'p'`);
    if (grants !== '') await test.admin.query(`grant ${grants} to ${user}@'%'`);
    return { ...test.config, user, password: 'p' };
  }

  const leases = { table: 'leases', create: false };

  async function failure(
    config: Parameters<typeof openRows>[0],
    options: Parameters<typeof openRows>[1] = {},
  ): Promise<{ readonly code: string; readonly message: string }> {
    await using open = openRows(config, options);
    return await prepared(open)
      .then(() => listed(open))
      .then(
        () => ({ code: 'none', message: 'it was opened' }),
        ({ code, message }) => ({ code, message }),
      );
  }

  const refused = (code: string, part: string): object => ({
    code,
    message: expect.stringContaining(part),
  });

  it('is created by 20 members at once', async () => {
    const opened = Array.from({ length: 20 }, () => openRows(test.config, { table: 'raced' }));
    await Promise.all(opened.map((open) => prepared(open)));
    await Promise.all(opened.map((open) => open[Symbol.asyncDispose]()));
  });

  it('asks for the least rights that its documentation names', async () => {
    const config = await userWith('select, insert, update, delete on leases');
    const group = randomUUID();
    await using open = openRows(config, { ...leases, group });
    await prepared(open);
    expect(await changed(open, 'a', null, 'one')).toEqual({ isDone: true });
    expect(await changed(open, 'a', 'one', 'two')).toEqual({ isDone: true });
    expect(await changed(open, 'a', 'two', null)).toEqual({ isDone: true });
    await using observer = openRows(await userWith('select on leases'), { ...leases, group });
    await prepared(observer, false);
    expect(await listed(observer)).toEqual(new Map());
  });

  it('is awaited by an observer, which creates no table although it may', async () => {
    const [group, table] = [randomUUID(), 'awaited'];
    await using observer = openRows(test.config, { group, table });
    await prepared(observer, false);
    expect(await listed(observer)).toEqual(new Map());
    const [exists] = await test.admin.query("show tables like 'awaited'");
    expect(exists).toEqual([]);
    await using member = openRows(test.config, { group, table });
    await prepared(member);
    await changed(member, 'a', null, 'one');
    expect(await listed(observer)).toEqual(new Map([['a', 'one']]));
  });

  it('lets a user who may only select call fence()', async () => {
    const pool = createPool(await userWith('select on leases'));
    const client = await pool.getConnection();
    await client.query('start transaction');
    const term = { partition: 0, token: 1n, isCurrent: () => true };
    const fenced = fence(client, term, { group: 'g', table: 'leases' });
    await expect(fenced).rejects.toMatchObject({ code: 'fenced' });
    client.release();
    await pool.end();
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
      await expect(use()).rejects.toMatchObject(
        refused('unauthorized', 'grant select, insert, update and delete on the table'),
      );
    },
  );

  it('names the right to create the table', async () => {
    expect(await failure(await userWith('select on leases'), { table: 'other' })).toEqual(
      refused('unauthorized', 'to create the table, also create'),
    );
  });

  refusedUserTest(
    ({ port, password, ...options }) =>
      mysqlLeadership({ ...options, connection: { ...test.config, port, password } }),
    () => test.config.port,
    () => test.config.password,
  );

  it('is refused with a wrong password, without one, and without the database', async () => {
    const user = 'the server refuses the user: correct user and password';
    for (const password of ['wrong', ''])
      expect(await failure({ ...test.config, password })).toEqual(refused('unauthorized', user));
    expect(await failure({ ...test.config, database: 'nowhere' })).toEqual(
      refused('misconfigured-backend', 'the database does not exist'),
    );
    const { database: _, ...config } = test.config;
    expect(await failure(config)).toEqual(
      refused('misconfigured-backend', 'the connection names no database'),
    );
  });

  it('uses the current password and certificates of functions for each connection', async () => {
    const passwords = ['wrong', test.config.password];
    const password = (): string => passwords.shift() ?? 'none';
    await using open = openRows({ ...test.config, password });
    await expect(prepared(open)).rejects.toMatchObject({ code: 'unauthorized' });
    await prepared(open);
    await expect(failure({ ...test.config, ssl: () => ({}) })).resolves.toEqual(
      refused('misconfigured-backend', 'the server does not support TLS'),
    );
  });

  describe('a table that was not made by mysqlMigration()', () => {
    const key = 'primary key (group_name, name)';
    const columns =
      'group_name varbinary(1000) not null, name varbinary(2000) not null, text mediumtext character set utf8mb4 not null, token bigint, stamp bigint';
    /** Creates a table, or whatever the SQL creates, by a name of its own for `NAME`. */
    const make = async (sql: string): Promise<string> => {
      const table = `t${randomUUID().replaceAll('-', '')}`;
      await test.admin.query(sql.replaceAll('NAME', table));
      return table;
    };

    it.each([
      ['without a key', `create table NAME (${columns})`, 'ADD PRIMARY KEY (group_name, name)'],
      [
        'with a key that is not unique',
        `create table NAME (${columns}, key (group_name, name))`,
        'ADD PRIMARY KEY (group_name, name)',
      ],
      [
        'with a key of the beginnings of names',
        `create table NAME (${columns}, unique (group_name(4), name(4)))`,
        'ADD PRIMARY KEY (group_name, name)',
      ],
      [
        'of MyISAM',
        `create table NAME (${columns.replaceAll('000)', '00)')}, ${key}) engine=MyISAM`,
        'ENGINE=InnoDB',
      ],
      [
        'of Aria',
        `create table NAME (${columns.replaceAll('000)', '00)')}, ${key}) engine=Aria`,
        'ENGINE=InnoDB',
      ],
    ])('is refused %s, with the statement that mends it', async (_, sql, remedy) => {
      const table = await make(sql);
      const statement = `ALTER TABLE \`${table}\` ${remedy}`;
      expect(await failure(test.config, { table })).toEqual(
        refused('misconfigured-backend', `Run: ${statement}`),
      );
      await test.admin.query(statement);
      expect(await failure(test.config, { table })).toMatchObject({ code: 'none' });
    });

    it.each([
      ['text', 'mediumtext/utf8mb4', 'utf8mb4', 'latin1'],
      ['name', 'varbinary', 'name varbinary(2000)', 'name varchar(500)'],
      ['stamp', 'bigint', ', stamp bigint', ''],
    ])('is refused with another column %s', async (column, type, from, to) => {
      const table = await make(`create table NAME (${columns.replace(from, to)}, ${key})`);
      expect(await failure(test.config, { table })).toEqual(
        refused('misconfigured-backend', `the table has other columns than ${column} ${type}`),
      );
    });

    it('is refused if it is a view', async () => {
      await test.admin.query(mysqlMigration({ table: 'leases' }));
      const table = await make('create view NAME as select * from leases');
      expect(await failure(test.config, { table })).toEqual(
        refused('misconfigured-backend', 'the name is that of a view'),
      );
    });

    it('is refused if it is missing and must not be created', async () => {
      expect(await failure(test.config, { table: 'missing', create: false })).toEqual(
        refused('misconfigured-backend', 'run the SQL that mysqlMigration() returns'),
      );
    });
  });

  it('is refused on a replica, which also answers no read', async () => {
    await using primary = await ownServer();
    await using replica = administered(await primary.server.replica());
    expect(await failure(replica.config)).toEqual(
      refused('misconfigured-backend', 'the server is read-only (read_only is on)'),
    );
    await using open = openRows(replica.config);
    await primary.server.execute(mysqlMigration());
    await expect.poll(() => replica.server.execute("show tables like 'leadership'")).not.toBe('');
    await expect(listed(open)).rejects.toThrow('the server is read-only (read_only is on)');
  });

  it('is refused once a primary that is in use becomes read-only', async () => {
    await using open = openRows(test.config);
    await prepared(open);
    await test.admin.query('set global read_only = 1');
    await expect(listed(open)).rejects.toMatchObject(
      refused('misconfigured-backend', 'the server is read-only'),
    );
    await test.admin.query('set global read_only = 0');
    // After a refusal the member pauses.
    await eventually('it is used again', () =>
      listed(open).then(
        () => true,
        () => false,
      ),
    );
  });

  it('is refused over connections with autocommit 0, or of one statement only', async () => {
    const open = async (multipleStatements: boolean, setting: string) => {
      const pool = createPool({ ...test.config, multipleStatements });
      const connections = givenConnections(async (sql) => {
        const client = await pool.getConnection();
        await client.query(setting);
        const [results] = await client.query(sql).finally(() => client.destroy());
        return results as readonly unknown[];
      });
      return failure({ ...connections, close: () => pool.end() });
    };
    expect(await open(true, 'set autocommit = 0')).toEqual(
      refused('misconfigured-backend', 'autocommit is 0 on the connection'),
    );
    expect(await open(false, 'set autocommit = 1')).toEqual(
      refused('misconfigured-backend', 'multipleStatements'),
    );
    expect(await open(true, 'set autocommit = 1')).toMatchObject({ code: 'none' });
  });

  it('is refused if binlog_format is STATEMENT', async () => {
    await using other = await ownServer({ 'binlog-format': 'STATEMENT' });
    await using open = openRows(other.config);
    await prepared(open);
    await expect(changed(open, 'a', null, 'one')).rejects.toMatchObject(
      refused('misconfigured-backend', 'binlog_format is STATEMENT'),
    );
  });

  it('warns if a crash of the server loses commits', async () => {
    await using open = openRows(test.config);
    await test.admin.query('set global innodb_flush_log_at_trx_commit = 2');
    await prepared(open);
    await test.admin.query('set global innodb_flush_log_at_trx_commit = 1');
    expect([...open.host.warnings]).toEqual([
      expect.stringContaining('innodb_flush_log_at_trx_commit is 2'),
    ]);
  });

  /** Starts a server with TLS. Resolves with it and its certificate, for a host of this name. */
  async function tlsServer(name: string): Promise<readonly [TestServer<LocalMysql>, string]> {
    const [key, certificate] = ['key', 'cert'].map((kind) =>
      join(test.server.directory, `${name}.${kind}.pem`),
    ) as [string, string];
    const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
    const kind = ['-x509', '-nodes', '-newkey', 'rsa:2048', '-days', '2'];
    const files = ['-keyout', key, '-out', certificate];
    await promisify(execFile)('openssl', ['req', ...kind, ...names, ...files]);
    const server = await ownServer({ 'ssl-cert': certificate, 'ssl-key': key });
    return [server, await readFile(certificate, 'utf8')];
  }

  it('is refused if the certificate is not trusted, and used otherwise', async () => {
    const [opened, ca] = await tlsServer('localhost');
    await using server = opened;
    const config = { ...server.config, host: 'localhost' };
    const untrusted = 'the certificate of the server is not trusted, or names another host';
    expect(await failure({ ...config, ssl: true })).toEqual(
      refused('misconfigured-backend', untrusted),
    );
    expect(await failure({ ...config, ssl: { ca } })).toMatchObject({ code: 'none' });
    const pool = createPool({ ...config, ssl: { ca } });
    await using source = mysqlLeadership({ pool, group: 'tls' });
    await source.ready();
    await pool.end();
  });

  it('is refused if the certificate names another host, unless the host is an address', async () => {
    const [opened, ca] = await tlsServer('db.example');
    await using server = opened;
    expect(await failure({ ...server.config, host: 'localhost', ssl: { ca } })).toEqual(
      refused('misconfigured-backend', 'names another host'),
    );
    expect(await failure({ ...server.config, ssl: { ca } })).toMatchObject({ code: 'none' });
  });

  it('is refused if the server is too old', async () => {
    const { config: connection } = test;
    const own = { connection, group: 'g', thresholdMs: 3000, clock: monotonicClock };
    for (const [version, oldest] of [
      ['10.5.29-MariaDB', 'MariaDB 10.5.29-MariaDB, but 10.6 is the oldest'],
      ['5.7.44', 'MySQL 5.7.44, but 8.0 is the oldest'],
    ] as const) {
      const real = mysql2Connections(own);
      // The real answer of the server, with the version of an older one.
      const older = {
        ...real,
        query: async (...asked: Parameters<typeof real.query>) =>
          (await real.query(...asked)).map((row) => ({ ...row, version })),
      };
      expect(await failure(older)).toEqual(refused('misconfigured-backend', oldest));
    }
  });

  it('is retried if no connection is left, and while the server stops', async () => {
    const config = await userWith('select, insert, update, delete on leases');
    await test.admin.query(`alter user ${config.user}@'%' with max_user_connections 1`);
    const pool = createPool(config);
    const client = await pool.getConnection();
    expect(await failure(config, leases)).toEqual(
      refused('unreachable', 'the server has no connection left'),
    );
    client.release();
    await pool.end();
    await using open = openRows(test.config);
    await prepared(open);
    await test.server.stop();
    await expect(listed(open)).rejects.toMatchObject({ code: 'unreachable' });
    await test.server.start();
    expect(await listed(open)).toEqual(new Map());
    expect(await rowsOf(test.admin, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});
