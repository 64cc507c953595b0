import { hasDynamoDb } from '@leadership/tools/aws';
import { describe } from 'vitest';
import { localTable } from './support/local-table.ts';
import { notesTests } from './support/notes-tests.ts';

describe.runIf(await hasDynamoDb())('members’ items', () => notesTests(localTable));
