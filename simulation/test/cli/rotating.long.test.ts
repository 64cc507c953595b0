import { describe } from 'vitest';
import { testsOfRandomWorlds } from './rotating-seed.ts';

/** One world of each protocol, at least. The soak searches for an hour. */
const cpuSeconds = 1;

describe('worlds of a random seed', () => testsOfRandomWorlds(cpuSeconds));
