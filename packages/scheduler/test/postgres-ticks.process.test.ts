import { LeadershipError } from '@leadership/core';
import { postgresTicks } from '@leadership/scheduler';
import { type DatabaseServer, hasPostgres, startPostgres } from '@leadership/tools/postgres';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

test('refuses a table name that is not an SQL name', () => {
  const send = () => Promise.resolve({ rows: [] });
  expect(() => postgresTicks(send, { table: 'x; drop table y' })).toThrow(LeadershipError);
});

describe.runIf(await hasPostgres())('ticks in Postgres', () => {
  let server: DatabaseServer;
  let pool: pg.Pool;
  beforeAll(async () => {
    server = await startPostgres();
    const { host, port, user, password, database } = server;
    pool = new pg.Pool({ host, port, user, password, database });
    pool.on('error', () => undefined);
  });
  afterAll(async () => {
    await pool.end();
    await server[Symbol.asyncDispose]();
  });
  const ticksIn = (table: string) =>
    postgresTicks((text, values) => pool.query(text, [...values]), { table });

  test('each time is claimed once, by a token that is not lower than the latest', async () => {
    const ticks = ticksIn('public.jobs');
    expect(await ticks.latest('a')).toBeUndefined();
    expect(await ticks.claim('a', 1_767_225_600_000, 7n)).toBe(true);
    expect(await ticks.claim('a', 1_767_225_600_000, 8n)).toBe(false);
    expect(await ticks.claim('a', 1_767_225_601_000, 6n)).toBe(false);
    expect(await ticks.claim('a', 1_767_225_601_000, 7n)).toBe(true);
    expect(await ticks.latest('a')).toBe(1_767_225_601_000);
    expect(await ticks.latest('b')).toBeUndefined();
    expect([await ticks.token?.('a'), await ticks.token?.('b')]).toEqual([7n, undefined]);
  });

  test('of many claims of one time at once, one succeeds, on a table that each creates', async () => {
    const claims = Array.from({ length: 8 }, () => ticksIn('races').claim('a', 1000, 1n));
    expect((await Promise.all(claims)).filter(Boolean)).toEqual([true]);
  });

  test('a failing server rejects with its error', async () => {
    await expect(ticksIn('nowhere.jobs').latest('a')).rejects.toThrow(/nowhere/);
  });
});
