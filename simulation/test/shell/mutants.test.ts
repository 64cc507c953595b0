import { describe } from 'vitest';
import { caughtFromOneSeed } from '../caught.ts';

describe('the simulation of whole sources', () => caughtFromOneSeed('shell'));
