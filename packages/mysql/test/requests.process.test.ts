import { hasMysql } from '@leadership/tools/mysql';
import { networkTests, prepared, silenceTests, writerTests } from '@leadership/tools/rows';
import { afterAll, beforeAll, describe } from 'vitest';
import { mysqlLeadership } from '../src/index.ts';
import { openRows } from './support/open-rows.ts';
import { type TestServer, testServer } from './support/server.ts';

describe.runIf(await hasMysql())('requests to MySQL', () => {
  let test: TestServer;
  beforeAll(async () => {
    test = await testServer();
    await prepared(openRows(test.config));
  });
  afterAll(() => test[Symbol.asyncDispose]());

  silenceTests(
    ({ port, ...options }) => openRows({ ...test.config, port }, options),
    () => test.config.port,
    'never',
  );

  networkTests(
    ({ port, ...options }) => mysqlLeadership({ ...options, connection: { ...test.config, port } }),
    () => test.config.port,
  );

  writerTests((options) => openRows(test.config, options), false);
});
