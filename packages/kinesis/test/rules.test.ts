import { describe } from 'vitest';
import { memoryTable } from './support/memory-table.ts';
import { rulesTests } from './support/rules-tests.ts';

describe('the adapter’s own rules, in memory', () => rulesTests(memoryTable));
