import { rowsTests } from '@leadership/testkit/vitest';
import { hasDynamoDb } from '@leadership/tools/aws';
import { afterAll, beforeAll, describe } from 'vitest';
import { type EmulatedTable, localTable } from '../support/local-table.ts';
import { storeOn } from '../support/rows-store.ts';

describe.runIf(await hasDynamoDb())('rows of sessions on DynamoDB', () => {
  let table: EmulatedTable;
  beforeAll(async () => {
    table = await localTable();
  });
  afterAll(() => table[Symbol.asyncDispose]());

  describe('of the head', () => rowsTests(async () => storeOn(await table.another())));

  describe('of partitions', () =>
    rowsTests(async () => storeOn(await table.another(), 'partition#')));
});
