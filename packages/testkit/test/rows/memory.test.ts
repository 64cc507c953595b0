import { describe } from 'vitest';
import { rowsTests } from '../../src/vitest.ts';
import { memoryLogs } from './memory-log.ts';
import { memoryRows } from './memory-rows.ts';

describe('rows in memory', () => rowsTests(() => memoryRows()));

describe('a store that lists its rows', () => rowsTests(() => memoryRows({ lists: true })));

describe('a log as rows', () => rowsTests(() => memoryLogs()));
