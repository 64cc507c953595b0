import { describe } from 'vitest';
import { memoryTable } from './support/memory-table.ts';
import { rulesTests } from './support/rules-tests.ts';

describe('the rules of the adapter, in memory', () => rulesTests(memoryTable));
