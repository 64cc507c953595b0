import { hasDynamoDb } from '@leadership/tools/aws';
import { describe } from 'vitest';
import { localTable } from '../support/local-table.ts';
import { registerTests } from '../support/register-tests.ts';

describe.each(['dynamodb-local', 'dynalite'] as const)(
  'a table of %s as a register',
  async (kind) => {
    describe.runIf(await hasDynamoDb({ kind }))('if the emulator can be started', () =>
      registerTests(() => localTable({ kind }), kind === 'dynamodb-local'),
    );
  },
);
