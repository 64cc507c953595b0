import { describe } from 'vitest';
import { caughtFromTwoSeeds } from '../caught.ts';

describe('the simulation of the ledger lease', () => caughtFromTwoSeeds('ledger'));
