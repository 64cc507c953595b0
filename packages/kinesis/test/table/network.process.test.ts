import { hasDynamoDb } from '@leadership/tools/aws';
import { networkTests } from '@leadership/tools/rows';
import { afterAll, beforeAll, describe } from 'vitest';
import { kinesisLeadership } from '../../src/index.ts';
import { type LocalTable, localTable } from '../support/local-table.ts';

describe.runIf(await hasDynamoDb())('requests to DynamoDB', () => {
  let table: LocalTable;
  beforeAll(async () => {
    table = await localTable();
  });
  afterAll(() => table[Symbol.asyncDispose]());

  networkTests(
    ({ port, ...options }) => {
      const dynamodb = { ...table.direct, endpoint: `http://127.0.0.1:${port}` };
      return kinesisLeadership({ ...options, table: table.name, dynamodb });
    },
    () => Number(new URL(table.direct.endpoint).port),
  );
});
