import { describe } from 'vitest';
import { localStream } from '../support/local-stream.ts';
import { streamTests } from '../support/stream-tests.ts';

describe('a stream', () => streamTests(localStream));
