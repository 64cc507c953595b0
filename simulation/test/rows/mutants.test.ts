import { describe } from 'vitest';
import { caughtFromOneSeed } from '../caught.ts';

describe('the simulation of rows', () => caughtFromOneSeed('rows'));
