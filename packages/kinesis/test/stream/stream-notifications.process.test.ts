import { hasDynamoDb } from '@leadership/tools/aws';
import { describe } from 'vitest';
import { localStream } from '../support/local-stream.ts';
import { localTable } from '../support/local-table.ts';
import { notificationTests } from '../support/notification-tests.ts';

describe.runIf(await hasDynamoDb())('wake-up notifications', () =>
  notificationTests(localTable, localStream),
);
