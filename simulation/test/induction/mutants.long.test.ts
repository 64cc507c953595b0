import { describe } from 'vitest';
import { caughtFromEverySeed } from '../caught.ts';

describe('the simulation of induction', () => caughtFromEverySeed('induction'));
