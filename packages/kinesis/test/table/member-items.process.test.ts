import { hasDynamoDb } from '@leadership/tools/aws';
import { describe } from 'vitest';
import { localTable } from '../support/local-table.ts';
import { memberItemsTests } from '../support/member-items-tests.ts';

describe.runIf(await hasDynamoDb())('members’ items', () => memberItemsTests(localTable));
