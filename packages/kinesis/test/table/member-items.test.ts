import { describe } from 'vitest';
import { memberItemsTests } from '../support/member-items-tests.ts';
import { memoryTable } from '../support/memory-table.ts';

describe('members’ items in memory', () => memberItemsTests(memoryTable));
