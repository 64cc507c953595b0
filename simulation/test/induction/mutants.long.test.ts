import { describe } from 'vitest';
import { induction } from '../../src/induction/protocol.ts';
import { simulationOf } from '../../src/kernel/simulation.ts';
import { othersCaught } from '../caught.ts';

describe('the simulation of induction', () => othersCaught(simulationOf(induction)));
