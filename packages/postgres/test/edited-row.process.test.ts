import { randomUUID } from 'node:crypto';
import { eventually } from '@leadership/testkit/adapter';
import { hasPostgres } from '@leadership/tools/postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresLeadership } from '../src/index.ts';
import { type TestServer, testServer } from './support/server.ts';

/** The last token, and the last versions, with what counts them: nothing could follow them. */
const edits: readonly (readonly [string, string, string, string?])[] = [
  ['token', '"token":"\\d+"', '"token":"9223372036854775807"', 'token-without-room'],
  ['version', '"version":\\d+', '"version":9007199254740991', 'unreadable row of a partition'],
  ['version of a record', '"version":\\d+', `"version":${2 ** 52 - 1}`],
];

describe.runIf(await hasPostgres())('a row edited to the last', () => {
  let test: TestServer;
  beforeAll(async () => {
    test = await testServer();
  });
  afterAll(() => test[Symbol.asyncDispose]());

  it.each(edits)(
    '%s is replaced after its wait, and the next term is stable (T1)',
    async (_, found, edited, counted) => {
      const group = `g${randomUUID().slice(0, 8)}`;
      const open = (member: string) =>
        postgresLeadership({
          connection: test.config,
          group,
          member,
          partitions: 1,
          thresholdMs: 1500,
          log: false,
        });
      const first = open('a');
      await eventually('the first leader', () => first.role(0).isLeading());
      await first.close();
      const { rowCount } = await test.admin.query(
        `update leadership set text = replace(
         regexp_replace(text, $2, $3), '"kind":"release"', '"kind":"hold","session":"gone/1"')
       where group_name = $1 and text like '%"partition":0%'`,
        [group, found, edited],
      );
      expect(rowCount).toBe(1);
      await using second = open('b');
      await eventually('the next leader', () => second.role(0).isLeading());
      const term = second.role(0).term();
      expect(term?.token).toBeLessThan(2n ** 60n);
      // Some renewals later, the same term goes on.
      await new Promise((resolve) => setTimeout(resolve, 3000));
      expect(second.role(0).term()?.token).toBe(term?.token);
      if (counted !== undefined) expect(second.health().ignored).toHaveProperty(counted);
    },
  );
});
