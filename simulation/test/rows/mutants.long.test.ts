import { describe } from 'vitest';
import { caughtFromTwoSeeds } from '../caught.ts';

describe('the simulation of sessions over rows', () => caughtFromTwoSeeds('rows'));
