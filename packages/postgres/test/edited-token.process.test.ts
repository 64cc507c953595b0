import { randomUUID } from 'node:crypto';
import { eventually } from '@leadership/testkit/adapter';
import { hasPostgres } from '@leadership/tools/postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresLeadership } from '../src/index.ts';
import { type TestServer, testServer } from './support/server.ts';

describe.runIf(await hasPostgres())('a row whose token is edited to the last one', () => {
  let test: TestServer;
  beforeAll(async () => {
    test = await testServer();
  });
  afterAll(() => test[Symbol.asyncDispose]());

  it('is replaced after its wait, and the next term is stable (T1)', async () => {
    const group = `g${randomUUID().slice(0, 8)}`;
    const open = (member: string) =>
      postgresLeadership({
        ...{ connection: test.config, group, member, partitions: 1 },
        ...{ thresholdMs: 1500, log: false },
      });
    const first = open('a');
    await eventually('the first leader', () => first.role(0).isLeading());
    await first.close();
    const { rowCount } = await test.admin.query(
      `update leadership set text = replace(
         regexp_replace(text, '"token":"\\d+"', '"token":"9223372036854775807"'),
         '"kind":"release"', '"kind":"hold"')
       where group_name = $1 and text like '%"partition":0%'`,
      [group],
    );
    expect(rowCount).toBe(1);
    await using second = open('b');
    await eventually('the next leader', () => second.role(0).isLeading());
    const token = second.role(0).term()?.token;
    expect(token).toBeLessThan(2n ** 60n);
    // Some renewals later, the same term goes on.
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(second.role(0).term()?.token).toBe(token);
    expect(second.health().ignored).toMatchObject({ 'token-without-room': 1 });
  });
});
