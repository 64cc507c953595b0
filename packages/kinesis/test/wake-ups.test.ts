import { describe } from 'vitest';
import { memoryStream } from './support/memory-stream.ts';
import { memoryTable } from './support/memory-table.ts';
import { wakeUpTests } from './support/wake-up-tests.ts';

describe('wake-up notifications in memory', () => wakeUpTests(memoryTable, memoryStream));
