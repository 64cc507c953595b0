import { describe } from 'vitest';
import { memoryTable } from './support/memory-table.ts';
import { notesTests } from './support/notes-tests.ts';

describe('members’ items in memory', () => notesTests(memoryTable));
