import { describe } from 'vitest';
import { memoryStream } from '../support/memory-stream.ts';
import { streamTests } from '../support/stream-tests.ts';

describe('a stream in memory', () => streamTests(memoryStream));
