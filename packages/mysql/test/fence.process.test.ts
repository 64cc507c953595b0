import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@leadership/testkit/adapter';
import { hasMysql } from '@leadership/tools/mysql';
import { changed, type OpenRows, prepared } from '@leadership/tools/rows';
import type { PoolConnection } from 'mysql2/promise';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fence } from '../src/index.ts';
import { openRows } from './support/open-rows.ts';
import { rowsOf, type TestServer, testServer } from './support/server.ts';

/** The outcome of a change of a row that a transaction locks: it waits for nothing. */
const isLocked = { isDone: false };
const levels = ['read uncommitted', 'read committed', 'repeatable read', 'serializable'];

describe.runIf(await hasMysql())('fence', () => {
  let test: TestServer;
  let group: string;
  let rows: OpenRows;
  let client: PoolConnection;
  const [row, session] = ['partition#0', 'session#i5/1'];
  const term = { partition: 0, token: 5n, isCurrent: () => true };

  beforeAll(async () => {
    test = await testServer();
    await test.admin.query('create table if not exists work (id varchar(40) primary key)');
  });
  afterAll(() => test[Symbol.asyncDispose]());
  beforeEach(async () => {
    group = randomUUID();
    rows = openRows(test.config, { group, thresholdMs: 900 });
    await prepared(rows);
    await changed(rows, row, null, record(5n, 1));
    await changed(rows, session, null, '0');
    client = await test.admin.getConnection();
    return async () => {
      client.destroy();
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

  const written = async (id: string): Promise<boolean> =>
    (await rowsOf(test.admin, 'select 1 from work where id = ?', [id])).length === 1;

  const write = (id: string): Promise<unknown> =>
    client.query('insert into work (id) values (?)', [id]);

  describe.each(levels)('at %s', (level) => {
    const begin = async (): Promise<void> => {
      await client.query(`set transaction isolation level ${level}`);
      await client.query('start transaction');
    };

    it('lets the transaction of the current term commit', async () => {
      const id = randomUUID();
      await begin();
      await write(id);
      await fence(client, term, { group });
      await client.query('commit');
      expect(await written(id)).toBe(true);
    });

    it('fails the transaction of a term that was overtaken before, also if the error is ignored', async () => {
      const [id, later] = [randomUUID(), randomUUID()];
      await begin();
      await client.query('select count(*) from leadership');
      await write(id);
      // At `serializable` that reading has locked the row.
      await changed(rows, row, record(5n, 1), record(6n, 2));
      const overtaken = { ...term, token: level === 'serializable' ? 4n : 5n };
      await expect(fence(client, overtaken, { group })).rejects.toMatchObject({ code: 'fenced' });
      await expect(write(later)).rejects.toThrow(/READ ONLY/);
      await client.query('commit');
      expect([await written(id), await written(later)]).toEqual([false, false]);
    });

    it('lets the leader renew its lease while the transaction is open, and holds against a claim', async () => {
      await begin();
      await client.query('select count(*) from work');
      await changed(rows, session, '0', '1');
      await fence(client, term, { group });
      expect(await changed(rows, session, '1', '2')).toEqual({ isDone: true });
      expect(await changed(rows, row, record(5n, 1), record(6n, 2))).toEqual(isLocked);
      await client.query('commit');
    });

    it('makes a claim and a release wait until the transaction has ended', async () => {
      const to = record(6n, 2, { kind: 'release' });
      for (const next of [record(6n, 2), released(5n, 2), to]) {
        await begin();
        await fence(client, term, { group });
        await client.query('savepoint nested');
        await client.query('rollback to savepoint nested');
        expect(await changed(rows, row, record(5n, 1), next)).toEqual(isLocked);
        await client.query('commit');
      }
      expect(await changed(rows, row, record(5n, 1), record(6n, 2))).toEqual({ isDone: true });
    });
  });

  it('fails if the member no longer leads, although no successor has claimed yet', async () => {
    await client.query('start transaction');
    const over = { ...term, isCurrent: () => false };
    await expect(fence(client, over, { group })).rejects.toMatchObject({ code: 'fenced' });
    expect(await changed(rows, row, record(5n, 1), record(6n, 2))).toEqual({ isDone: true });
  });

  it('fails after a release, and holds for the delegate of a release', async () => {
    await changed(rows, row, record(5n, 1), released(5n, 2));
    await client.query('start transaction');
    await expect(fence(client, term, { group })).rejects.toMatchObject({ code: 'fenced' });
    await client.query('rollback');
    await changed(rows, row, released(5n, 2), record(6n, 3, { kind: 'release' }));
    await client.query('start transaction');
    await fence(client, { ...term, token: 6n }, { group });
    await client.query('commit');
  });

  it('rejects a client that is not inside a transaction', async () => {
    await expect(fence(client, term, { group })).rejects.toMatchObject({
      code: 'invalid-options',
      message: expect.stringContaining('START TRANSACTION'),
    });
  });

  it.each([0, 999, Number.NaN, 1e12, '5s'])('refuses limitMs %s', async (limitMs) => {
    await expect(fence(client, term, { group, limitMs: limitMs as number })).rejects.toMatchObject({
      code: 'invalid-options',
      message: expect.stringContaining('must be a number of milliseconds from 1000'),
    });
  });

  it('decides correctly while a claim is not committed yet', async () => {
    const other = await test.admin.getConnection();
    for (const [end, outcome] of [
      ['rollback', 'current'],
      ['commit', 'fenced'],
    ] as const) {
      await other.query('start transaction');
      const claim = "update leadership set text = 'x', token = 6 where group_name = ? and name = ?";
      await other.query(claim, [group, row]);
      await client.query('start transaction');
      let isSettled = false;
      const fenced = fence(client, term, { group })
        .then(
          () => 'current',
          ({ code }) => code,
        )
        .finally(() => {
          isSettled = true;
        });
      await eventually('the fence waits for the claim', async () => {
        // The server renews this table only if no client has read it for a tenth of a second.
        await pause(200);
        const sql = "select 1 from information_schema.innodb_trx where trx_state = 'LOCK WAIT'";
        return (await rowsOf(test.admin, sql)).length > 0;
      });
      expect(isSettled).toBe(false);
      await other.query(end);
      expect(await fenced).toBe(outcome);
      await client.query('rollback');
    }
    other.release();
  });

  it('limits how long the transaction may be idle, so that a successor waits no longer', async () => {
    const id = randomUUID();
    await client.query('start transaction');
    await fence(client, term, { group, limitMs: 1000 });
    await write(id);
    client.on('error', () => undefined);
    await eventually('a successor claims', async () => {
      const { isDone } = await changed(rows, row, record(5n, 1), record(6n, 2));
      return isDone;
    });
    await expect(client.query('commit')).rejects.toThrow();
    expect(await written(id)).toBe(false);
  });

  it('keeps a shorter limit of the application', async () => {
    await client.query('set session idle_transaction_timeout = 2');
    await client.query('start transaction');
    await fence(client, term, { group });
    const limit = 'select @@session.idle_transaction_timeout as seconds';
    expect(await rowsOf(client, limit)).toEqual([{ seconds: 2 }]);
    await client.query('rollback');
  });

  it('takes a function of another driver', async () => {
    await client.query('start transaction');
    const send = async (sql: string): Promise<unknown> => (await client.query(sql))[0];
    await fence(send, term, { group });
    expect(await changed(rows, row, record(5n, 1), record(6n, 2))).toEqual(isLocked);
    await client.query('commit');
  });
});
