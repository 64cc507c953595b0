import { describe } from 'vitest';
import { rowsTests } from '../../src/internal/vitest.ts';
import { memoryRows } from './memory-rows.ts';

describe('rows in memory', () => rowsTests(() => memoryRows()));

describe('a store that lists its rows', () => rowsTests(() => memoryRows({ lists: true })));
