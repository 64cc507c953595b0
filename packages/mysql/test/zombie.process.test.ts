import { randomUUID } from 'node:crypto';
import { hasMysql } from '@leadership/tools/mysql';
import { type Overtaken, overtaken } from '@leadership/tools/overtaken';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowsOf, type TestServer, testServer } from './support/server.ts';

const program = new URL('support/fencing-member.mjs', import.meta.url);
const thresholdMs = 2000;

describe.runIf(await hasMysql())('a leader that is stopped inside a transaction', () => {
  let test: TestServer;
  beforeAll(async () => {
    test = await testServer();
    await test.admin.query(
      'create table if not exists log (token bigint, count int, member varchar(20))',
    );
  });
  afterAll(() => test[Symbol.asyncDispose]());

  /** Resolves with the number of its rows, too. */
  async function story(
    isFenced: boolean,
    level: string,
  ): Promise<Overtaken & { readonly rows: number }> {
    await test.admin.query('delete from log');
    const options = { group: randomUUID(), thresholdMs, isFenced, level };
    const end = await overtaken(program, { ...test.config, ...options });
    const rows = await rowsOf(test.admin, "select 1 from log where member = 'old'");
    return { ...end, rows: rows.length };
  }

  it.each(['read uncommitted', 'read committed', 'repeatable read', 'serializable'])(
    'cannot commit after a successor has begun, at %s',
    async (level) => {
      const { outcome, rows, committed } = await story(true, level);
      expect([outcome, rows]).toEqual(['failed', committed]);
    },
  );

  it('commits without the fence, which shows that the test can fail', async () => {
    const { outcome, rows, committed } = await story(false, 'repeatable read');
    expect(outcome).toBe('committed');
    expect(rows).toBeGreaterThan(committed);
  });
});
