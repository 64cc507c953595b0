import { describe } from 'vitest';
import { caughtFromTwoSeeds } from '../caught.ts';

describe('the simulation of whole sources', () => caughtFromTwoSeeds('shell'));
