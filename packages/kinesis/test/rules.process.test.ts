import { hasDynamoDb } from '@leadership/tools/aws';
import { describe } from 'vitest';
import { localTable } from './support/local-table.ts';
import { rulesTests } from './support/rules-tests.ts';

describe.runIf(await hasDynamoDb({ kind: 'dynamodb-local' }))(
  'the rules of the adapter, on DynamoDB Local',
  () => rulesTests(() => localTable({ kind: 'dynamodb-local' })),
);
