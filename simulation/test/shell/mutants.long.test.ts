import { describe } from 'vitest';
import { simulationOf } from '../../src/kernel/simulation.ts';
import { shell } from '../../src/shell/protocol.ts';
import { othersCaught } from '../caught.ts';

describe('the simulation of whole sources', () => othersCaught(simulationOf(shell)));
