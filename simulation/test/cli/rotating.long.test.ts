import { describe } from 'vitest';
import { testsOfRandomWorlds } from './rotating-seed.ts';

const cpuSeconds = 5;

describe('worlds of a random seed', () => testsOfRandomWorlds(cpuSeconds));
