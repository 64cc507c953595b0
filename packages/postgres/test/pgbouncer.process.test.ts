import { eventually } from '@leadership/testkit/adapter';
import { hasLocalPostgres, hasPgbouncer, localPgbouncer } from '@leadership/tools/postgres';
import pg from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresOptions, postgresLeadership } from '../src/index.ts';
import { ownServer, type TestServer } from './support/server.ts';

const isOffered = (await hasLocalPostgres()) && (await hasPgbouncer());

describe.runIf(isOffered)('members behind PgBouncer in transaction mode', () => {
  let test: TestServer;
  let pooler: Awaited<ReturnType<typeof localPgbouncer>>;
  beforeAll(async () => {
    test = await ownServer();
    pooler = await localPgbouncer(test.server);
  });
  afterAll(async () => {
    await pooler[Symbol.asyncDispose]();
    await test[Symbol.asyncDispose]();
  });

  const member = (group: string, name: string, options: Partial<PostgresOptions>) =>
    postgresLeadership({
      group,
      member: name,
      partitions: 1,
      thresholdMs: 1000,
      log: false,
      ...options,
    });
  const address = () => ({ ...test.config, port: pooler.port });

  it.each([
    [true, 'with a warning that members only poll'],
    [false, 'without a warning if notifications are switched off'],
  ])('elect and hand over by polling (notifications: %s), %s', async (notifications) => {
    const options = { connection: address(), notifications };
    await using a = member(`direct-${notifications}`, 'a', options);
    await eventually('the first member leads', () => a.role(0).isLeading());
    await using b = member(`direct-${notifications}`, 'b', options);
    await b.ready();
    const token = a.role(0).term()?.token ?? 0n;
    const warnings = a.health().warnings.map(({ message }) => message);
    expect(warnings).toEqual(
      notifications ? [expect.stringContaining('a connection pooler such as PgBouncer')] : [],
    );
    await a.role(0).resign();
    await eventually('the second member leads', () => b.role(0).isLeading());
    expect(b.role(0).term()?.token).toBeGreaterThan(token);
    // The pooler hands its connections to other applications as well.
    const pool = new pg.Pool(address());
    const { rows } = await pool.query(`select current_setting('lock_timeout') as lock`);
    expect(rows).toEqual([{ lock: '0' }]);
    await pool.end();
  });

  it('elect with the driver postgres, which prepares no statements', async () => {
    const sql = postgres({ ...address(), max: 2, prepare: false, onnotice: () => undefined });
    const source = member('porsager', 'a', {
      query: (text, values) => sql.unsafe(text, [...values]),
    });
    await eventually('it leads', () => source.role(0).isLeading());
    expect(source.health().ok).toBe(true);
    await source.close();
    await sql.end();
  });
});
