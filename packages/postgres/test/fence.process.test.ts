import { randomUUID } from 'node:crypto';
import { eventually } from '@leadership/testkit/adapter';
import { hasPostgres } from '@leadership/tools/postgres';
import { changed, type OpenRows, prepared } from '@leadership/tools/rows';
import type pg from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fence } from '../src/index.ts';
import { openRows } from './support/open-rows.ts';
import { type TestServer, testServer } from './support/server.ts';

/** The outcome of a change of a row that a transaction locks: it waits for nothing. */
const isLocked = { isDone: false };

describe.runIf(await hasPostgres())('fence', () => {
  let test: TestServer;
  let group: string;
  let rows: OpenRows;
  let client: pg.PoolClient;
  const [row, session] = ['partition#0', 'session#i5/1'];
  const term = { partition: 0, token: 5n, isCurrent: () => true };

  beforeAll(async () => {
    test = await testServer();
    await test.admin.query('create table if not exists work (id text primary key, value text)');
  });
  afterAll(() => test[Symbol.asyncDispose]());
  beforeEach(async () => {
    group = randomUUID();
    rows = openRows(test.config, { group, thresholdMs: 900 });
    await prepared(rows);
    await changed(rows, row, null, record(5n, 1));
    await changed(rows, session, null, '0');
    client = await test.admin.connect();
    return async () => {
      client.release(true);
      await rows[Symbol.asyncDispose]();
    };
  });

  function record(token: bigint, version: number, changes: object = {}): string {
    const place = { partition: 0, life: 'l', version, seen: 0, id: `m.${version}.${token}` };
    const owner = { kind: 'hold', session: `i${token}/1`, token: String(token) };
    return JSON.stringify({ ...place, ...owner, ...changes });
  }

  const released = (token: bigint, version: number): string =>
    record(token, version, { kind: 'release', session: undefined });

  async function written(id: string): Promise<boolean> {
    return (await test.admin.query('select 1 from work where id = $1', [id])).rowCount === 1;
  }

  const write = (id: string): Promise<unknown> =>
    client.query('insert into work (id) values ($1)', [id]);

  describe.each(['read committed', 'repeatable read', 'serializable'])('at %s', (level) => {
    const begin = (): Promise<unknown> => client.query(`begin isolation level ${level}`);

    it('lets the transaction of the current term commit', async () => {
      const id = randomUUID();
      await begin();
      await write(id);
      await fence(client, term, { group });
      await client.query('commit');
      expect(await written(id)).toBe(true);
    });

    it('fails the transaction of a term that was overtaken before', async () => {
      const id = randomUUID();
      await begin();
      await write(id);
      await changed(rows, row, record(5n, 1), record(6n, 2));
      await expect(fence(client, term, { group })).rejects.toThrow();
      await client.query('commit').catch(() => undefined);
      expect(await written(id)).toBe(false);
    });

    it('lets the leader renew its lease while the transaction is open', async () => {
      const id = randomUUID();
      await begin();
      await fence(client, term, { group });
      await write(id);
      expect(await changed(rows, session, '0', '1')).toEqual({ isDone: true });
      expect(await changed(rows, session, '1', '2')).toEqual({ isDone: true });
      await client.query('commit');
      expect(await written(id)).toBe(true);
    });

    it('holds against a claim also if a renewal is newer than the snapshot', async () => {
      await begin();
      await client.query('select count(*) from work');
      await changed(rows, session, '0', '1');
      await fence(client, term, { group });
      expect(await changed(rows, row, record(5n, 1), record(6n, 2))).toEqual(isLocked);
      expect((await client.query('commit')).command).toBe('COMMIT');
    });

    it('makes a claim and a release wait until the transaction has ended', async () => {
      const to = record(6n, 2, { kind: 'release' });
      for (const next of [record(6n, 2), released(5n, 2), to]) {
        await begin();
        await fence(client, term, { group });
        expect(await changed(rows, row, record(5n, 1), next)).toEqual(isLocked);
        await client.query('commit');
      }
      expect(await changed(rows, row, record(5n, 1), record(6n, 2))).toEqual({ isDone: true });
    });
  });

  it('fails the transaction even if the application ignores the error', async () => {
    const id = randomUUID();
    await changed(rows, row, record(5n, 1), record(6n, 2));
    await client.query('begin');
    await write(id);
    await expect(fence(client, term, { group })).rejects.toMatchObject({ code: 'fenced' });
    expect((await client.query('commit')).command).toBe('ROLLBACK');
    expect(await written(id)).toBe(false);
  });

  it('fails if the member no longer leads, although no successor has claimed yet', async () => {
    await client.query('begin');
    const over = { ...term, isCurrent: () => false };
    await expect(fence(client, over, { group })).rejects.toMatchObject({ code: 'fenced' });
    expect((await client.query('commit')).command).toBe('ROLLBACK');
  });

  it('fails after a release, and holds for the delegate of a release', async () => {
    await changed(rows, row, record(5n, 1), released(5n, 2));
    await client.query('begin');
    await expect(fence(client, term, { group })).rejects.toMatchObject({ code: 'fenced' });
    await client.query('rollback');
    const delegated = record(6n, 3, { kind: 'release' });
    await changed(rows, row, released(5n, 2), delegated);
    await client.query('begin');
    await fence(client, { ...term, token: 6n }, { group });
    expect((await client.query('commit')).command).toBe('COMMIT');
  });

  it('rejects a client that is not inside a transaction', async () => {
    for (const outside of [client, test.admin]) {
      await expect(fence(outside, term, { group })).rejects.toMatchObject({
        code: 'invalid-options',
        message: expect.stringContaining('BEGIN'),
      });
    }
  });

  it('refuses to run inside a savepoint, which could be rolled back without the transaction', async () => {
    const refused = { code: 'invalid-options', message: expect.stringContaining('savepoint') };
    await client.query('begin');
    await client.query('savepoint nested');
    await expect(fence(client, term, { group })).rejects.toMatchObject(refused);
    await client.query('rollback to nested');
    await client.query('release nested');
    await fence(client, term, { group });
    await client.query('savepoint nested');
    await expect(fence(client, term, { group })).rejects.toMatchObject(refused);
    await client.query('rollback to nested');
    expect(await changed(rows, row, record(5n, 1), record(6n, 2))).toEqual(isLocked);
    expect((await client.query('commit')).command).toBe('COMMIT');
    const sql = postgres({ ...test.config, max: 1 });
    await sql.begin(async (outer) => {
      const nested = outer.savepoint((inner) =>
        fence((text, values) => inner.unsafe(text, [...values]), term, { group }),
      );
      await expect(nested).rejects.toMatchObject(refused);
    });
    await sql.end();
  });

  it('keeps the transaction from being prepared, so that it cannot block successors for ever', async () => {
    await client.query('begin');
    await fence(client, term, { group });
    await expect(client.query(`prepare transaction 'p'`)).rejects.toThrow('exported snapshots');
    await client.query('rollback');
    expect(await changed(rows, row, record(5n, 1), record(6n, 2))).toEqual({ isDone: true });
  });

  it.each([0, 0.4, -1, Number.NaN, 1e12, '5s'])('refuses limitMs %s', async (limitMs) => {
    await client.query('begin');
    await expect(fence(client, term, { group, limitMs: limitMs as number })).rejects.toMatchObject({
      code: 'invalid-options',
      message: expect.stringContaining('must be a whole number of milliseconds from 1'),
    });
    await client.query('rollback');
  });

  it('accepts the longest limit', async () => {
    await client.query('begin');
    await fence(client, term, { group, limitMs: 2 ** 31 - 1 });
    expect((await client.query('commit')).command).toBe('COMMIT');
  });

  it.each([
    ['is missing', ''],
    ['is not unique', 'create index on unkeyed (group_name, name, token)'],
    ['is partial', `create unique index on unkeyed (group_name, name, token) where name <> 'x'`],
    [
      'only includes the token',
      'create unique index on unkeyed (group_name, name) include (token)',
    ],
    [
      'is not enforced at once',
      'alter table unkeyed add unique (group_name, name, token) deferrable',
    ],
    [
      'is not valid',
      `create unique index invalid on unkeyed (group_name, name, token);
      update pg_index set indisvalid = false where indexrelid = 'invalid'::regclass`,
    ],
  ])(
    'refuses a table whose unique key %s, and names the statement that adds it',
    async (_, sql) => {
      const [id, table] = [randomUUID(), 'unkeyed'];
      await test.admin.query(`drop table if exists unkeyed`);
      await test.admin.query(`create table unkeyed as select * from leadership`);
      if (sql !== '') await test.admin.query(sql);
      await client.query('begin');
      await write(id);
      await expect(fence(client, term, { group, table })).rejects.toMatchObject({
        code: 'misconfigured-backend',
        message: expect.stringContaining(
          'Run: ALTER TABLE "public"."unkeyed" ADD UNIQUE (group_name, name, token)',
        ),
      });
      expect((await client.query('commit')).command).toBe('ROLLBACK');
      await test.admin.query('ALTER TABLE "public"."unkeyed" ADD UNIQUE (group_name, name, token)');
      await client.query('begin');
      await fence(client, term, { group, table });
      expect((await client.query('commit')).command).toBe('COMMIT');
    },
  );

  it('decides correctly while a claim is not committed yet', async () => {
    const other = await test.admin.connect();
    for (const [end, outcome] of [
      ['rollback', 'current'],
      ['commit', 'fenced'],
    ] as const) {
      await other.query('begin');
      await other.query(
        `update leadership set text = 'x', token = 6 where group_name = $1 and name = $2`,
        [group, row],
      );
      await client.query('begin');
      const fenced = fence(client, term, { group }).then(
        () => 'current',
        ({ code }) => code,
      );
      await eventually('the fence waits for the claim', async () => {
        const { rows: waiting } = await test.admin.query(
          'select 1 from pg_locks where not granted',
        );
        return waiting.length > 0;
      });
      await other.query(end);
      expect(await fenced).toBe(outcome);
      await client.query('rollback');
    }
    other.release();
  });

  it('limits how long the transaction may be idle, so that a successor waits no longer', async () => {
    const id = randomUUID();
    await client.query('begin');
    await fence(client, term, { group, limitMs: 300 });
    await write(id);
    client.on('error', () => undefined);
    await eventually('a successor claims', () =>
      changed(rows, row, record(5n, 1), record(6n, 2)).then(
        ({ isDone }) => isDone,
        () => false,
      ),
    );
    await expect(client.query('commit')).rejects.toThrow();
    expect(await written(id)).toBe(false);
  });

  it('keeps shorter limits of the application', async () => {
    await client.query(`set statement_timeout = '2s'`);
    await client.query('begin');
    await fence(client, term, { group });
    const { rows: limits } = await client.query(
      `select current_setting('statement_timeout') as a, current_setting('idle_in_transaction_session_timeout') as b`,
    );
    expect(limits).toEqual([{ a: '2s', b: '5s' }]);
    await client.query('rollback');
  });

  it('works with the driver postgres, and with other parsers of types', async () => {
    const bool = { to: 16, from: [16], serialize: String, parse: (text: string) => text };
    const sql = postgres({ ...test.config, types: { bool }, max: 1 });
    const [id, lost] = [randomUUID(), randomUUID()];
    const attempt = (key: string): Promise<unknown> =>
      sql.begin(async (transaction) => {
        await fence((text, values) => transaction.unsafe(text, [...values]), term, { group });
        await transaction`insert into work (id) values (${key})`;
      });
    await attempt(id);
    await changed(rows, row, record(5n, 1), record(6n, 2));
    await expect(attempt(lost)).rejects.toMatchObject({ code: 'fenced' });
    expect([await written(id), await written(lost)]).toEqual([true, false]);
    await sql.end();
  });
});
