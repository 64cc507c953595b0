import { describe } from 'vitest';
import { caughtFromEverySeed } from '../caught.ts';

describe('the simulation of the ledger lease', () => caughtFromEverySeed('ledger'));
