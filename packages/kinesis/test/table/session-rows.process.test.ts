import { rowsTests } from '@leadership/testkit/vitest';
import { hasDynamoDb } from '@leadership/tools/aws';
import { describe } from 'vitest';
import { openStore } from '../support/rows-store.ts';

describe.runIf(await hasDynamoDb())('rows of sessions on DynamoDB', () => {
  describe('of the head', () => rowsTests(() => openStore()));

  describe('of partitions', () => rowsTests(() => openStore('partition#')));
});
