import { describe } from 'vitest';
import { testsOfRandomWorlds } from './rotating-seed.ts';

const cpuSeconds = 3_600;

describe('a long search over all scenarios', () => testsOfRandomWorlds(cpuSeconds));
