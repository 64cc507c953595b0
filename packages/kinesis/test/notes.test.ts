import { describe } from 'vitest';
import { memoryTable } from './support/memory-table.ts';
import { notesTests } from './support/notes-tests.ts';

describe('the notes that members leave, in memory', () => notesTests(memoryTable));
