import { randomUUID } from 'node:crypto';
import { type Overtaken, overtaken } from '@leadership/tools/overtaken';
import { hasPostgres } from '@leadership/tools/postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from './support/server.ts';

const program = new URL('support/fencing-member.mjs', import.meta.url);
const thresholdMs = 2000;

describe.runIf(await hasPostgres())('a leader that is stopped inside a transaction', () => {
  let test: TestServer;
  beforeAll(async () => {
    test = await testServer();
    await test.admin.query('create table log (token bigint, count int, member text)');
  });
  afterAll(() => test[Symbol.asyncDispose]());

  /** Resolves with the number of its rows, too. */
  async function story(isFenced: boolean): Promise<Overtaken & { readonly rows: number }> {
    await test.admin.query('delete from log');
    const options = { group: randomUUID(), thresholdMs, isFenced, limitMs: 500 };
    const end = await overtaken(program, { ...test.config, ...options });
    const { rowCount } = await test.admin.query("select 1 from log where member = 'old'");
    return { ...end, rows: rowCount ?? 0 };
  }

  it('cannot commit after a successor has begun', async () => {
    const { outcome, rows, committed } = await story(true);
    expect([outcome, rows]).toEqual(['failed', committed]);
  });

  it('commits without the fence, which shows that the test can fail', async () => {
    const { outcome, rows, committed } = await story(false);
    expect(outcome).toBe('committed');
    expect(rows).toBeGreaterThan(committed);
  });
});
