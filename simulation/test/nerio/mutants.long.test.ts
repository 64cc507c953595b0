import { describe } from 'vitest';
import { simulationOf } from '../../src/kernel/simulation.ts';
import { nerioDrift, nerioSkew } from '../../src/nerio/protocol.ts';
import { othersCaught } from '../caught.ts';

describe('the simulation of nerio-drift', () => othersCaught(simulationOf(nerioDrift)));
describe('the simulation of nerio-skew', () => othersCaught(simulationOf(nerioSkew)));
