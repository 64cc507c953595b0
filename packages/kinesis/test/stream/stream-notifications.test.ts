import { describe } from 'vitest';
import { memoryStream } from '../support/memory-stream.ts';
import { memoryTable } from '../support/memory-table.ts';
import { notificationTests } from '../support/notification-tests.ts';

describe('wake-up notifications in memory', () => notificationTests(memoryTable, memoryStream));
