import { describe } from 'vitest';
import { memoryTable } from '../support/memory-table.ts';
import { registerTests } from '../support/register-tests.ts';

describe('a table in memory as a register', () => registerTests(memoryTable, true));
