import { describe } from 'vitest';
import { simulationOf } from '../../src/kernel/simulation.ts';
import { rows } from '../../src/rows/protocol.ts';
import { othersCaught } from '../caught.ts';

describe('the simulation of sessions over rows', () => othersCaught(simulationOf(rows)));
